import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { isServerError, openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { sharedClickHouse, type TestClickHouse } from '../support/engines.ts';

const silenceMs = 400;
const asked = { timeoutMs: 20_000 };

/** Adds up something a moment each, and answers at its end. */
const adding = (rows: number, seconds: number, what = 'number') => `
  SELECT toFloat64(sum(${what})) AS sum, max(sleepEachRow(${seconds})) AS slept FROM numbers(${rows})
  SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;

describe('a statement that takes longer than a connection may be silent', function () {
  this.timeout(30_000);
  let server: TestClickHouse;
  let database: string;
  let writer: ClickHouseWriter;
  before(async () => {
    server = await sharedClickHouse();
    database = await server.database();
    writer = openClickHouseWriter({ url: `${server.url}/${database}`, ...server.writer, silenceMs });
  });
  after(() => writer.close());

  it('is heard of by its progress', async () => {
    const rows = await writer.rows<{ sum: number }>(adding(12, 0.1), asked);
    expect(rows[0]).to.include({ sum: 66 });
  });

  it('would else be given up', async () => {
    const client = createClient({
      url: server.url,
      ...server.writer,
      database,
      request_timeout: silenceMs,
      log: { level: ClickHouseLogLevel.OFF },
    });
    const error = await client.query({ query: adding(12, 0.1) }).catch((caught: unknown) => caught);
    expect(String(error)).to.match(/timeout/i);
    await client.close();
  });

  it('says why it failed, also after it told of its progress', async () => {
    const failing = adding(12, 0.1, `throwIf(number = 8, 'enough')`);
    const error = await writer.rows(failing, asked).catch((caught: unknown) => caught);
    expect(isServerError(error), String(error)).to.equal(true);
    expect(String(error)).to.include('enough');
  });
});
