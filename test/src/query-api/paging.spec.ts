import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { type Parameters, readAllPages, readPage, rowsOf } from './pages.fixture.ts';
import { coffeeRow, noon, watcherRow } from './rows.fixture.ts';
import { startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const day = { from: '2026-08-20T00:00:00Z', to: '2026-08-21T00:00:00Z' };
const at = (ms: number, digits = ''): string => new Date(ms).toISOString().replace('Z', `${digits}Z`);
const [millisecond, number] = [1, 16];
const row = (value: number): string => String(value).padStart(number, '0');

describe('paging', () => {
  let api: TestQueryApi;
  let tokens: Record<'many' | 'few', string>;
  const few = (parameters: Parameters) => readPage(api, '/api/v1/coffee', { ...day, ...parameters }, tokens.few);
  const ids = async (parameters: Parameters) => (await few(parameters)).rows.map(({ DETAILID }) => DETAILID);

  before(async () => {
    api = await startTestQueryApi();
    await api.register([
      { id: 1, name: 'Many', sites: [11] },
      { id: 2, name: 'Few', sites: [21] },
    ]);
    tokens = { many: (await api.client(1)).token, few: (await api.client(2)).token };
    // 6,001 people at one play, with the largest numbers.
    const numbers = Array.from({ length: 6_001 }, (_, index) => 9_007_199_254_740_991 - index * 1_000_003);
    await api.insert(
      coffee,
      numbers.map((own, index) =>
        coffeeRow({ network_id: 1, number: own, detection_id: `d-${index}`, watcher_id: index }),
      ),
    );
    await api.insert(
      watcherSummary,
      numbers.map((own, index) =>
        watcherRow({ network_id: 1, number: own, detection_id: `d-${index}`, watcher_id: index }),
      ),
    );
    await api.insert(
      coffee,
      [
        [noon - 1, 50],
        [noon, 10],
        [noon, 20],
        [noon, 30],
        [noon + 1, 5],
        [noon + 2, 40],
      ].map(([ts, own]) => coffeeRow({ network_id: 2, ts, number: own, site_id: 21 })),
    );
  });
  after(() => api.close());

  for (const path of ['/api/v1/coffee', '/api/v1/watcher-summary'])
    for (const sort of ['asc', 'desc'])
      it(`returns each of 6,001 rows of one millisecond once at ${path}, ${sort}`, async () => {
        const pages = await readAllPages(api, path, { ...day, limit: 1_000, sort }, tokens.many);
        expect(pages).length(7);
        expect(new Set(pages.map(({ total }) => total))).deep.equal(new Set([6_001]));
        const watchers = rowsOf(pages).map(({ WATCHERID }) => WATCHERID as number);
        const inOrder = Array.from({ length: 6_001 }, (_, index) => (sort === 'asc' ? 6_000 - index : index));
        expect(watchers).deep.equal(inOrder);
        expect(pages[0]?.next_after).match(/^2026-08-20T12:00:00\.000\d{16}Z$/);
        expect(pages.at(-1)?.next_after).equal(null);
      });

  it('has a default limit of 1000', async () => {
    const page = await readPage(api, '/api/v1/coffee', day, tokens.many);
    expect(page).include({ limit: 1_000, count: 1_000, total: 6_001 });
  });

  it('returns an instant as cursor if the next row is later, else a row', async () => {
    expect(await few({ limit: 1 })).include({ next_after: at(noon - 1), total: 6 });
    expect(await few({ limit: 2 })).include({ next_after: at(noon, row(10)) });
    expect(await few({ limit: 3 })).include({ next_after: at(noon, row(20)) });
    expect(await few({ limit: 4 })).include({ next_after: at(noon) });
    expect(await few({ limit: 5 })).include({ next_after: at(noon + 1) });
    expect(await few({ limit: 6 })).include({ next_after: null, count: 6 });
    expect(await few({ limit: 7 })).include({ next_after: null, count: 6 });
  });

  it('returns the same cursors in descending order', async () => {
    expect(await few({ limit: 1, sort: 'desc' })).include({ next_after: at(noon + 2) });
    expect(await few({ limit: 3, sort: 'desc' })).include({ next_after: at(noon, row(30)) });
    expect(await few({ limit: 5, sort: 'desc' })).include({ next_after: at(noon) });
    expect(await few({ limit: 6, sort: 'desc' })).include({ next_after: null });
  });

  it('skips the whole millisecond of a cursor with up to three digits', async () => {
    expect(await ids({ after: at(noon) })).deep.equal([5, 40]);
    expect(await ids({ after: '2026-08-20T12:00:00Z' })).deep.equal([5, 40]);
    expect(await ids({ after: '2026-08-20T12:00Z' })).deep.equal([5, 40]);
    expect(await ids({ after: '2026-08-20T14:00:00.0+02:00' })).deep.equal([5, 40]);
    expect(await ids({ after: at(noon), sort: 'desc' })).deep.equal([50]);
  });

  it('reads a cursor of four to nine digits as a time', async () => {
    expect(await ids({ after: at(noon, '0') })).deep.equal([5, 40]);
    expect(await ids({ after: at(noon - 1, '999999') })).deep.equal([10, 20, 30, 5, 40]);
    expect(await ids({ after: at(noon, '000000'), sort: 'desc' })).deep.equal([50]);
    expect(await ids({ after: at(noon, '000001'), sort: 'desc' })).deep.equal([30, 20, 10, 50]);
  });

  it('reads a cursor of nineteen digits as a row', async () => {
    expect(await ids({ after: at(noon, row(20)) })).deep.equal([30, 5, 40]);
    expect(await ids({ after: at(noon, row(15)) })).deep.equal([20, 30, 5, 40]);
    expect(await ids({ after: at(noon, row(0)) })).deep.equal([10, 20, 30, 5, 40]);
    expect(await ids({ after: at(noon, '9'.repeat(number)) })).deep.equal([5, 40]);
    expect(await ids({ after: at(noon, row(20)), sort: 'desc' })).deep.equal([10, 50]);
    expect(await ids({ after: at(noon, row(0)), sort: 'desc' })).deep.equal([50]);
  });

  it('stays within the window for any cursor', async () => {
    expect(await few({ after: '2025-01-01T00:00:00Z' })).include({ count: 6, total: 6 });
    expect(await few({ after: '2027-01-01T00:00:00Z' })).include({ count: 0, total: 6, next_after: null });
    const narrow = { from: at(noon), to: at(noon + millisecond) };
    expect(await ids({ ...narrow, after: '2025-01-01T00:00:00Z' })).deep.equal([10, 20, 30]);
  });

  it('includes from and excludes to', async () => {
    expect(await ids({ from: at(noon), to: at(noon + 2) })).deep.equal([10, 20, 30, 5]);
    expect(await ids({ from: at(noon, '000001'), to: at(noon + 2, '000001') })).deep.equal([5, 40]);
  });

  it('skips rows by offset and continues by cursor', async () => {
    const page = await few({ limit: 2, offset: 1 });
    expect(page.rows.map(({ DETAILID }) => DETAILID)).deep.equal([10, 20]);
    expect(page).include({ next_after: at(noon, row(20)), total: 6 });
    expect(await ids({ limit: 2, offset: 4 })).deep.equal([5, 40]);
    expect(await ids({ limit: 2, offset: 6 })).deep.equal([]);
    expect(await ids({ limit: 2, offset: 1, sort: 'desc' })).deep.equal([5, 30]);
    expect(await ids({ limit: 2, offset: 1, after: at(noon) })).deep.equal([5, 40]);
  });
});
