import { allEvents } from '@popsvc/contracts/events';
import { allDatasets, coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { read, sources, stemOf } from './tree.fixture.ts';

interface OpenApiDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string; readonly description?: string }>>>
  >;
}

/** Files whose path matches `pattern` and that the list does not import. */
const missing = (pattern: RegExp, list: string): readonly string[] => {
  const candidates = sources.filter((path) => pattern.test(path));
  expect(candidates, `files like ${pattern.source}`).to.not.deep.equal([]);
  const text = read(list);
  return candidates.filter((path) => !text.includes(`/${stemOf(path)}.ts'`));
};

describe('lists', () => {
  for (const [pattern, list] of [
    [/^contracts\/src\/events\/.*\.events?\.ts$/, 'contracts/src/events/catalogue.ts'],
    [/^read-models\/src\/.*\.columns\.ts$/, 'read-models/src/datasets/index.ts'],
    [/^read-models\/src\/.*\.tables?\.ts$/, 'read-models/src/tables/index.ts'],
    [/^projectors\/src\/.*\.projection\.ts$/, 'projectors/src/projections/all.ts'],
    [/^command-api\/src\/.*\.route\.ts$/, 'command-api/src/service/routes.ts'],
    [/^query-api\/src\/.*\.route\.ts$/, 'query-api/src/service/routes.ts'],
    [/^platform\/src\/postgres\/migrations\/\d{4}-.*\.ts$/, 'platform/src/postgres/migrate.ts'],
  ] as const)
    it(`${list} is complete`, () => {
      expect(missing(pattern, list)).to.deep.equal([]);
    });

  for (const [name, count] of [
    ['command-api', 9],
    ['query-api', 9],
  ] as const)
    it(`${name}/src/service/routes.ts calls every route function`, () => {
      const list = `${name}/src/service/routes.ts`;
      const routeFiles = sources.filter((path) => path.startsWith(`${name}/src/`) && path.endsWith('.route.ts'));
      const functions = routeFiles.flatMap((path) =>
        [...read(path).matchAll(/^export const (\w+Routes?) =/gm)].map(([, name = '']) => name),
      );
      expect(functions).to.have.length.at.least(count);
      expect(functions.filter((each) => !read(list).includes(`${each}(`))).to.deep.equal([]);
    });

  it('console/src/audit/action-names.ts names every operation that the audit log records', () => {
    const { paths } = JSON.parse(read('docs/reference/openapi/ops.json')) as OpenApiDocument;
    // Operations that viewers may use change nothing, whatever their method.
    const recorded = Object.values(paths)
      .flatMap((methods) => Object.entries(methods))
      .filter(([method, { description = '' }]) => method !== 'get' && !description.includes('Least role: `viewer`'))
      .map(([, { operationId }]) => operationId);
    const named = [...read('console/src/audit/action-names.ts').matchAll(/^ {2}(\w+): '/gm)].map(([, id]) => id);
    expect(named).to.have.members(recorded);
  });

  it('events, datasets and projections have unique names', () => {
    for (const names of [
      allEvents.map(({ type }) => type),
      allDatasets.map(({ name }) => name),
      allProjections.map(({ name }) => name),
    ])
      expect(new Set(names).size, names.join()).to.equal(names.length);
  });

  it('coffee has its 63 columns and watcher-summary its 19', () => {
    expect(coffeeDataset.columns).to.have.length(63);
    expect(watcherSummaryDataset.columns).to.have.length(19);
  });

  it('the tables of a projection change only together with its version', () => {
    const summaries = allProjections.map(
      ({ name, version, tables }) => `${name}: version ${version}, ${tables.length} tables`,
    );
    expect(summaries).to.deep.equal([
      'registry: version 3, 11 tables',
      // With the table of former rows, which no replay fills.
      'coffee: version 1, 13 tables',
      'watcher-summary: version 1, 6 tables',
      'uptime: version 1, 2 tables',
      'status: version 1, 3 tables',
      'jobs: version 2, 1 tables',
    ]);
  });

  it('examples of all versions of an event are read as the current version', () => {
    for (const { type, example, version, upcasters, read: readEvent } of allEvents) {
      expect(readEvent(example, version), type).to.deep.equal(example);
      upcasters.forEach((step, index) => expect(() => readEvent(step.example, index + 1), type).to.not.throw());
    }
  });
});
