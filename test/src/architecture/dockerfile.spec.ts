import { expect } from 'chai';
import { compose, programOf, services } from './compose.fixture.ts';
import { files, manifest, read, type Workspace, workspaces } from './tree.fixture.ts';

interface Stage {
  readonly from: string;
  readonly lines: readonly string[];
}

const stages = new Map<string, Stage>();
for (const [, from = '', name = '', body = ''] of read('Dockerfile').matchAll(
  /^FROM (\S+) AS (\S+)\n([^]*?)(?=^FROM |$(?![^]))/gm,
))
  stages.set(name, { from, lines: body.split('\n').filter((line) => /^[A-Z]+ /.test(line)) });

const linesOf = (stage: string): readonly string[] => stages.get(stage)?.lines ?? [];

/** A workspace and all workspaces that it imports, directly or indirectly. */
const closure = (workspace: string): ReadonlySet<string> => {
  const { dependencies, devDependencies } = manifest(workspace as Workspace);
  const direct = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name.startsWith('@popsvc/'));
  return new Set([workspace, ...direct.flatMap((name) => [...closure(name.slice('@popsvc/'.length))])]);
};
const workspaceOf = (service: string) => programOf(service).split('/')[0]!;
const needed = new Set(
  [...services.map(workspaceOf), 'cli', 'console'].flatMap((workspace) => [...closure(workspace)]),
);

describe('Dockerfile', () => {
  it('has the expected stages, based on the current LTS release of Node.js', () => {
    expect([...stages.keys()]).to.deep.equal([
      'manifests',
      'build',
      'modules',
      'runtime',
      'command-api',
      'worker',
      'projectors',
      'query-api',
    ]);
    const bases = [...stages.values()].map(({ from }) => from).filter((from) => !stages.has(from));
    expect(new Set(bases)).to.deep.equal(new Set(['node:24-slim']));
  });

  it('copies every manifest, which npm ci compares with the lock file', () => {
    const copied = linesOf('manifests').filter((line) => line.startsWith('COPY'));
    for (const workspace of workspaces) expect(copied).to.include(`COPY ${workspace}/package.json ${workspace}/`);
  });

  it('builds and contains every workspace that the services need', () => {
    expect([...needed]).to.include.members(['contracts', 'domain', 'platform']);
    const installed = linesOf('manifests').find((line) => line.startsWith('ENV WORKSPACES=')) ?? '';
    for (const workspace of needed) {
      expect(installed).to.include(`-w ${workspace}`);
      expect(linesOf('build')).to.include(`COPY ${workspace}/ ${workspace}/`);
      expect(linesOf('runtime')).to.include(`COPY --from=build /app/${workspace}/dist/ ${workspace}/dist/`);
    }
  });

  it('installs the locked versions, and no development packages in the last stage', () => {
    const installs = [...linesOf('build'), ...linesOf('modules')].filter((line) => line.includes('npm '));
    expect(installs.filter((line) => !line.includes('npm ci '))).to.deep.equal([]);
    expect(linesOf('modules').some((line) => line.includes('--omit=dev'))).to.equal(true);
    expect(linesOf('runtime')).to.include('COPY --from=modules /app/ ./');
  });

  for (const service of services)
    it(`${service} runs its own program, not as root, with a health check`, () => {
      expect(stages.get(service)?.from).to.equal('runtime');
      expect(linesOf('runtime')).to.include('USER node');
      expect(linesOf(service).join('\n')).to.include(`"${programOf(service)}"`);
      expect(files).to.include(programOf(service).replace('/dist/', '/src/').replace(/js$/, 'ts'));
      const port = /^EXPOSE (\d+)$/m.exec(linesOf(service).join('\n'))?.[1];
      expect(compose.services[service]?.healthcheck?.test).to.include(port);
      expect(linesOf(service).join('\n')).to.include(`"deploy/is-ready.mjs", "${port}"`);
      expect(compose.services[service]?.build?.target).to.equal(service);
    });

  it('the build context contains what is copied, and no private files', () => {
    const ignored = read('.dockerignore').split('\n');
    expect(ignored[0]).to.equal('**');
    const copies = [...stages.values()].flatMap(({ lines }) => lines.filter((line) => /^COPY (?!--)/.test(line)));
    const sources = copies.flatMap((line) => line.split(' ').slice(1, -1)).map((path) => path.replace(/\/$/, ''));
    const isIncluded = (path: string) =>
      ignored.some((line) => line.startsWith('!') && `${path}/`.startsWith(`${line.slice(1)}/`));
    expect(sources.filter((path) => !isIncluded(path))).to.deep.equal([]);
    for (const path of ['.env', '.data', '.git']) expect(isIncluded(path), path).to.equal(false);
  });
});
