import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { isServerError, openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { sharedClickHouse, type TestClickHouse } from '../support/engines.ts';

const socketTimeoutMs = 400;
const options = { timeoutMs: 20_000 };

/** A query that sums `rows` numbers, sleeps for `seconds` per row and responds at its end. */
const slowSum = (rows: number, seconds: number, what = 'number') => `
  SELECT toFloat64(sum(${what})) AS sum, max(sleepEachRow(${seconds})) AS slept FROM numbers(${rows})
  SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;

describe('a statement that takes longer than the socket timeout', function () {
  let server: TestClickHouse;
  let database: string;
  let writer: ClickHouseWriter;
  before(async () => {
    server = await sharedClickHouse();
    database = await server.database();
    writer = openClickHouseWriter({ url: `${server.url}/${database}`, ...server.writer, socketTimeoutMs });
  });
  after(() => writer.close());

  it('is kept alive by progress headers', async () => {
    const rows = await writer.rows<{ sum: number }>(slowSum(12, 0.1), options);
    expect(rows[0]).to.include({ sum: 66 });
  });

  it('times out without progress headers', async () => {
    const client = createClient({
      url: server.url,
      ...server.writer,
      database,
      request_timeout: socketTimeoutMs,
      log: { level: ClickHouseLogLevel.OFF },
    });
    const error = await client.query({ query: slowSum(12, 0.1) }).catch((caught: unknown) => caught);
    expect(String(error)).to.match(/timeout/i);
    await client.close();
  });

  it('reports its error also after progress headers', async () => {
    const failing = slowSum(12, 0.1, `throwIf(number = 8, 'enough')`);
    const error = await writer.rows(failing, options).catch((caught: unknown) => caught);
    expect(isServerError(error), String(error)).to.equal(true);
    expect(String(error)).to.include('enough');
  });
});
