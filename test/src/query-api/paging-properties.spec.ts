import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import fc from 'fast-check';
import { readAllPages, readPage, rowsOf } from './pages.fixture.ts';
import { coffeeRow, noon, watcherRow } from './rows.fixture.ts';
import { startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const day = { from: '2026-08-20T00:00:00Z', to: '2026-08-21T00:00:00Z' };
const reports = [
  { path: '/api/v1/coffee', table: coffee, make: coffeeRow },
  { path: '/api/v1/watcher-summary', table: watcherSummary, make: watcherRow },
];

/** Few instants, so that many rows have the same one. */
const rows = fc.uniqueArray(
  fc.record({ ts: fc.integer({ min: noon, max: noon + 4 }), number: fc.oneof(fc.nat(200), fc.maxSafeNat()) }),
  {
    minLength: 0,
    maxLength: 40,
    selector: ({ ts, number }) => `${ts} ${number}`,
  },
);

describe('paging through random rows', () => {
  let api: TestQueryApi;
  let network = 0;
  before(async () => {
    api = await startTestQueryApi();
  });
  after(() => api.close());

  const inOrder = (all: readonly { ts: number; number: number }[], sort: string) =>
    [...all]
      .sort((one, other) => (one.ts - other.ts || one.number - other.number) * (sort === 'asc' ? 1 : -1))
      .map(({ number }) => number);

  it('returns each row once and in order, by cursor and by offset', async function () {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('asc', 'desc'),
        fc.nat(45),
        fc.constantFrom(...reports),
        async (all, limit, sort, offset, { path, table, make }) => {
          network += 1;
          await api.register([{ id: network, name: `Network ${network}` }]);
          // Rows are identified by the watcher id: not every report contains the number.
          const stored = all.map((own, index) => ({ ...own, index }));
          if (all.length > 0)
            await api.insert(
              table,
              stored.map(({ ts, number, index }) =>
                make({ network_id: network, ts, number, watcher_id: index, detection_id: `d-${index}` }),
              ),
            );
          const { token } = await api.client(network);
          const expected = inOrder(all, sort).map((number) => stored.findIndex((row) => row.number === number));
          const watcherIds = (pages: Parameters<typeof rowsOf>[0]) =>
            rowsOf(pages).map(({ WATCHERID }) => WATCHERID as number);
          const areNumbersUnique = all.length === new Set(all.map(({ number }) => number)).size;
          fc.pre(areNumbersUnique);

          const pages = await readAllPages(api, path, { ...day, limit, sort }, token);
          expect(watcherIds(pages)).deep.equal(expected);
          for (const { total } of pages) expect(total).equal(all.length);

          const skipped = await readPage(api, path, { ...day, limit, sort, offset }, token);
          expect(watcherIds([skipped])).deep.equal(expected.slice(offset, offset + limit));
          const rest = skipped.next_after;
          expect(rest === null).equal(offset + limit >= all.length);
          if (rest !== null) {
            const following = await readAllPages(api, path, { ...day, limit, sort, after: rest }, token);
            expect(watcherIds(following).slice(-Math.max(1, expected.length - offset - limit))).deep.equal(
              expected.slice(offset + limit),
            );
          }
        },
      ),
      { numRuns: process.env['POPSVC_LONG'] === '1' ? 1_000 : 15, seed: 2026 },
    );
  });
});
