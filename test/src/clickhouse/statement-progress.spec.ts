import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { isServerError, openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { sharedClickHouse, type TestClickHouse } from '../support/engines.ts';

// A quarter of it passes between two progress headers, so that a busy server can be late by the rest.
const socketTimeoutMs = 4_000;
const options = { timeoutMs: 120_000 };
/** The rows of a statement that takes 5 s. */
const rows = 50;

/** A query that sums `rows` numbers, sleeps for `seconds` per row and responds at its end. */
const slowSum = (rows: number, seconds: number, what = 'number') => `
  SELECT toFloat64(sum(${what})) AS sum, max(sleepEachRow(${seconds})) AS slept FROM numbers(${rows})
  SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;

describe('a statement that takes longer than the socket timeout', function () {
  let server: TestClickHouse;
  let database: string;
  let writer: ClickHouseWriter;
  let [keptAlive, failing] = [] as unknown as [Promise<unknown>, Promise<unknown>];
  before(async () => {
    server = await sharedClickHouse();
    database = await server.database();
    writer = openClickHouseWriter({ url: `${server.url}/${database}`, ...server.writer, socketTimeoutMs });
    const settle = (statement: string) => writer.rows(statement, options).catch((caught: unknown) => caught);
    // They run at the same time as the statement without progress headers.
    keptAlive = settle(slowSum(rows, 0.1));
    failing = settle(slowSum(rows, 0.1, `throwIf(number = ${rows - 2}, 'enough')`));
  });
  after(() => writer.close());

  it('is kept alive by progress headers', async () => {
    expect(await keptAlive).to.deep.equal([{ sum: (rows * (rows - 1)) / 2, slept: 0 }]);
  });

  it('times out without progress headers', async () => {
    const client = createClient({
      url: server.url,
      ...server.writer,
      database,
      request_timeout: socketTimeoutMs,
      log: { level: ClickHouseLogLevel.OFF },
    });
    const error = await client.query({ query: slowSum(rows, 0.1) }).catch((caught: unknown) => caught);
    expect(String(error)).to.match(/timeout/i);
    await client.close();
  });

  it('reports its error also after progress headers', async () => {
    const error = await failing;
    expect(isServerError(error), String(error)).to.equal(true);
    expect(String(error)).to.include('enough');
  });
});
