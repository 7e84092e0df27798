import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { files, manifest, read, root } from './tree.fixture.ts';

const papers = files.filter((path) => path.endsWith('.md'));
const written = papers.filter((path) => !path.startsWith('docs/reference/'));
const links = (path: string): readonly string[] =>
  [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));

const run = promisify(execFile);

describe('papers', () => {
  it('are there', () => {
    expect(papers).to.include.members([
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'docs/journey.md',
      'docs/words.md',
    ]);
    expect(files).to.include('LICENSE');
    expect(read('LICENSE')).to.include('Apache License');
    expect(papers.filter((path) => path.startsWith('docs/decisions/'))).to.have.length.greaterThan(6);
  });

  it('link to what is there', () => {
    const broken = papers.flatMap((path) =>
      links(path)
        .map((target) => target.replace(/#.*$/, ''))
        .filter((target) => target !== '' && !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('the journey goes through files of every room that has a part in it', () => {
    const steps = links('docs/journey.md').map((target) => normalize(join('docs', target)));
    expect(steps).to.have.length.greaterThan(30);
    expect(new Set(steps.map((path) => path.split('/')[0]))).to.deep.equal(
      new Set(['platform', 'command-api', 'contracts', 'domain', 'projectors', 'query-api', 'client']),
    );
  });

  it('name scripts of package.json', () => {
    const scripts = Object.keys(manifest().scripts ?? {});
    const named = written.flatMap((path) =>
      [...read(path).matchAll(/\bnpm run ([a-z:]+)/g)].map(([, name = '']) => name),
    );
    expect(named).to.include.members(['test:long', 'bench', 'simulate', 'lint', 'typecheck', 'build', 'reference']);
    expect(named.filter((name) => !scripts.includes(name))).to.deep.equal([]);
    expect(scripts).to.include.members(['start', 'test']);
  });

  it('name commands that the command line has', async function () {
    // A process each.
    this.timeout(180_000);
    const said = written.flatMap((path) => [...read(path).matchAll(/npx popsvc ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g)]);
    const commands = [...new Set(said.map(([, command = '']) => command))];
    expect(commands).to.include.members(['registry apply', 'api-keys create', 'clients create', 'projections list']);
    for (const command of commands) {
      const { stdout } = await run(process.execPath, [
        join(root, 'operator/bin/popsvc.js'),
        ...command.split(' '),
        '--help',
      ]);
      expect(stdout).to.include(`popsvc ${command} `);
    }
  });

  it('name specs and rooms of tests that are there', () => {
    const chosen = written.flatMap((path) =>
      [...read(path).matchAll(/npm test -- ([a-z/-]+)/g)].map(([, name = '']) => name),
    );
    const specs = files.filter((path) => path.endsWith('.spec.ts'));
    expect(chosen.filter((name) => !specs.some((path) => path.includes(name)))).to.deep.equal([]);
    const compiled = written.flatMap((path) =>
      [...read(path).matchAll(/test\/dist\/(\S+)\.js/g)].map(([, name]) => `test/src/${name}.ts`),
    );
    expect(compiled.filter((path) => !files.includes(path))).to.deep.equal([]);
  });
});
