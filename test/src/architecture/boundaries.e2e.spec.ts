import { expect } from 'chai';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Cruise, cruise } from './cruise.fixture.ts';
import { root, sourcesOf, workspaces } from './tree.fixture.ts';

/** For each rule a file with a forbidden import: its path, the rule that must report it, and its text. */
const planted: Readonly<Record<string, readonly [rule: string, text: string]>> = {
  'contracts/src/planted.ts': ['boundary-of-contracts', `export * from '@popsvc/domain/spans';`],
  'domain/src/planted.ts': ['pure', `import 'node:fs';`],
  'platform/src/planted.ts': ['boundary-of-platform', `export * from '@popsvc/command-api/service';`],
  'command-api/src/planted.ts': ['command-api-reads-no-read-model', `export * from '@popsvc/platform/clickhouse';`],
  'command-api/src/planted-service.ts': ['boundary-of-command-api', `export * from '@popsvc/query-api/service';`],
  'ops-api/src/planted.ts': ['boundary-of-ops-api', `export * from '@popsvc/projectors/engine';`],
  'projectors/src/planted.ts': ['only-adapter-imports-eventstoredb', `export * from '@eventstore/db-client';`],
  'projectors/src/planted-service.ts': ['boundary-of-projectors', `export * from '@popsvc/query-api/service';`],
  'projectors/src/planted-clickhouse.ts': ['only-adapter-imports-clickhouse', `export * from '@clickhouse/client';`],
  'query-api/src/planted.ts': ['query-api-cannot-write', `export * from '@popsvc/platform/event-store';`],
  'query-api/src/planted-express.ts': ['only-adapter-imports-express', `export { default } from 'express';`],
  'client/src/planted.ts': ['boundary-of-client', `export * from '@popsvc/contracts/time';`],
  'cli/src/planted.ts': ['boundary-of-cli', `export * from '@popsvc/projectors/engine';`],
  'console/src/planted.ts': ['boundary-of-console', `export * from '../../cli/src/output/print.ts';`],
  'query-api/src/planted-traces.ts': [
    'only-adapter-imports-opentelemetry',
    `export { trace } from '@opentelemetry/api';`,
  ],
  'domain/src/planted-zones.ts': ['only-time-zones-import-moment', `export { default } from 'moment-timezone';`],
  'embedded/src/planted-nats.ts': ['only-adapter-imports-nats', `export { connect } from 'nats';`],
  'embedded/src/planted.ts': ['resolvable', `export * from '@popsvc/platform/no-such-entry-point';`],
  'platform/src/planted-cycle-1.ts': ['no-circular', `import './planted-cycle-2.ts';\nexport const start = 1;`],
};

/** The second file of the planted cycle; dependency-cruiser reports a cycle once. */
const cycleEnd = ['platform/src/planted-cycle-2.ts', `import './planted-cycle-1.ts';\nexport const end = 1;`] as const;

/** Two folders that import each other, while no file is part of a cycle. */
const folderCycle: Readonly<Record<string, string>> = {
  'contracts/src/planted-one/one.ts': `export * from '../planted-two/two.ts';`,
  'contracts/src/planted-one/leaf.ts': `export const leaf = 1;`,
  'contracts/src/planted-two/two.ts': `export const two = 2;`,
  'contracts/src/planted-two/back.ts': `export * from '../planted-one/leaf.ts';`,
};
const cyclicFolders = ['contracts/src/planted-one', 'contracts/src/planted-two'];

/** Copies the project and adds the planted files, so that one run checks both. */
const copyWithPlants = async (folder: string): Promise<void> => {
  for (const file of ['package.json', '.dependency-cruiser.cjs', 'tsconfig.base.json', 'tsconfig.boundaries.json'])
    await cp(join(root, file), join(folder, file));
  for (const scripts of ['tools/build', 'tools/lint'])
    await cp(join(root, scripts), join(folder, scripts), { recursive: true });
  for (const workspace of workspaces) {
    await cp(join(root, workspace, 'src'), join(folder, workspace, 'src'), { recursive: true });
    await cp(join(root, workspace, 'package.json'), join(folder, workspace, 'package.json'));
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const texts = Object.entries(planted).map(([path, [, text]]) => [path, text] as const);
  for (const [path, text] of [...texts, ...Object.entries(folderCycle), cycleEnd]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `${text}\n`);
  }
};

describe('package boundaries', () => {
  let folder: string;
  let result: Cruise;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'popsvc-boundaries-'));
    await copyWithPlants(folder);
    result = await cruise(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('no import crosses a boundary', () => {
    const violations = result.summary.violations
      .filter(({ from }) => !(from in planted) && !cyclicFolders.includes(from))
      // A cycle of folders that leaves the package leads through a planted import.
      .filter(({ from, cycle = [] }) => cycle.every(({ name }) => name.split('/')[0] === from.split('/')[0]))
      .map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
    expect(violations).to.deep.equal([]);
  });

  it('every rule reports its planted import', () => {
    const caught = new Set(result.summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`));
    const missed = Object.entries(planted).filter(([path, [rule]]) => !caught.has(`${path}: ${rule}`));
    expect(missed).to.deep.equal([]);
  });

  it('a cycle between folders of a package is reported', () => {
    const reported = result.summary.violations.filter(({ from }) => cyclicFolders.includes(from));
    expect(reported.map(({ from, to, rule }) => [rule.name, from, to])).to.have.deep.members([
      ['no-folder-cycles-in-contracts', cyclicFolders[0], cyclicFolders[1]],
      ['no-folder-cycles-in-contracts', cyclicFolders[1], cyclicFolders[0]],
    ]);
  });

  for (const workspace of workspaces)
    it(`every source of ${workspace} is visited`, () => {
      const visited = new Set(result.modules.map(({ source }) => source));
      expect(sourcesOf(workspace).filter((path) => !visited.has(path))).to.deep.equal([]);
      expect(sourcesOf(workspace)).to.have.length.greaterThan(10);
    });

  it('imports between workspaces are resolved to public entry points', () => {
    const internal = result.modules
      .filter(({ source }) => !(source in planted))
      .flatMap(({ dependencies }) => dependencies.filter(({ module }) => /^@popsvc\//.test(module)));
    expect(internal).to.have.length.greaterThan(100);
    expect(internal.filter(({ resolved }) => !/^[a-z-]+\/src\/.*index\.ts$/.test(resolved))).to.deep.equal([]);
  });
});
