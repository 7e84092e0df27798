import { type ClickHouseReader, openClickHouseReader, type RowScope, type Sql } from '@popsvc/platform/clickhouse';
import { coffee } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { sharedClickHouse } from '../support/engines.ts';
import { readPage } from './pages.fixture.ts';
import { coffeeRow } from './rows.fixture.ts';
import { progress, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const [begin, hour] = [Date.UTC(2026, 7, 20), 3_600_000];
const window = { from: '2026-08-20T00:00:00Z', to: '2026-08-23T00:00:00Z' };
const [fromMs, toMs] = [begin, begin + 72 * hour];

describe('the range that a page reads', () => {
  let api: TestQueryApi;
  let token: string;
  const ranges: (readonly [fromMs: number, toMs: number])[] = [];

  /** Records the time range of each page query. */
  const recordRanges = (reader: ClickHouseReader): ClickHouseReader => ({
    ...reader,
    rowBinary(query: Sql, options) {
      const scopes = query.relations.get('coffee') as readonly [RowScope] | undefined;
      if (scopes) {
        const [{ fromMs, toMs }] = scopes;
        ranges.push([fromMs, toMs]);
        expect(query.texts.join('')).to.include(`${fromMs}`).and.to.include(`${toMs}`);
      }
      return reader.rowBinary(query, options);
    },
  });
  const rangesOf = async (parameters: Readonly<Record<string, string | number>>) => {
    ranges.length = 0;
    await readPage(api, '/api/v1/coffee', { ...window, ...parameters }, token);
    return ranges;
  };

  before(async () => {
    const engine = await sharedClickHouse();
    const database = await engine.database();
    const reader = openClickHouseReader({ url: `${engine.url}/${database}`, ...engine.reader });
    api = await startTestQueryApi({ database, reader: recordRanges(reader) });
    await api.register([{ id: 1, name: 'One' }]);
    ({ token } = await api.client(1));
    const rows = Array.from({ length: 720 }, (_, index) => ({ ts: begin + index * (hour / 10), number: index }));
    await api.insert(
      coffee,
      rows.map((row) => coffeeRow({ network_id: 1, ...row })),
    );
    await api.insert(progress, [{ projection: 'coffee', generation: 1, pos: 1, as_of: begin }]);
  });
  after(() => api.close());

  it('is the whole window before its days are counted, and a part of it afterwards', async () => {
    expect(await rangesOf({ limit: 10, sort: 'desc' })).deep.equal([[fromMs, toMs]]);
    const descending = await rangesOf({ limit: 10, sort: 'desc' });
    expect(descending).length(1);
    expect(descending[0]![0]).within(toMs - 6 * hour, toMs - hour);
    expect(descending[0]![1]).equal(toMs);
    const ascending = await rangesOf({ limit: 10 });
    expect(ascending).length(1);
    expect(ascending[0]![0]).equal(fromMs);
    expect(ascending[0]![1]).within(fromMs + hour, fromMs + 6 * hour);
  });

  it('is the whole window again for a page that no row follows', async () => {
    expect(await rangesOf({ limit: 10, offset: 705, sort: 'desc' })).deep.include([fromMs, toMs]);
  });
});
