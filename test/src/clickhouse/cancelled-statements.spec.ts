import { type ClickHouseWriter, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { sharedClickHouse } from '../support/engines.ts';

/** Ends by itself only long after the test. */
const slow = (seconds: number) => `SELECT sleepEachRow(1) AS slept FROM numbers(${seconds})
  SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;

describe('the statements of a ClickHouse client', () => {
  let open: () => ClickHouseWriter;
  let observer: ClickHouseWriter;
  before(async () => {
    const server = await sharedClickHouse();
    const url = `${server.url}/${await server.database()}`;
    open = () => openClickHouseWriter({ url, ...server.writer });
    observer = open();
  });
  after(() => observer.close());

  const countRunning = async (seconds: number) => {
    const rows = await observer.rows<{ n: number }>(
      `SELECT toUInt32(count()) AS n FROM system.processes
       WHERE current_database = currentDatabase() AND query LIKE '%numbers(${seconds})%' AND query NOT LIKE '%system.processes%'`,
    );
    return rows[0]!.n;
  };
  const reasonOf = (work: Promise<unknown>) =>
    work.then(
      () => 'it succeeded',
      (error: unknown) => String(error),
    );

  it('are all cancelled on the server, and no further one begins', async () => {
    const writer = open();
    const reasons = Promise.all([reasonOf(writer.rows(slow(901))), reasonOf(writer.run(slow(901)))]);
    await waitUntil(
      () => countRunning(901),
      (n) => n === 2,
    );
    writer.cancelStatements();
    for (const reason of await reasons) expect(reason).to.match(/abort/i);
    await waitUntil(
      () => countRunning(901),
      (n) => n === 0,
    );
    expect(await reasonOf(writer.run('SELECT 1'))).to.match(/cancelled/);
    await writer.close();
  });

  it('are cancelled one by one with their signal', async () => {
    const writer = open();
    const cancel = new AbortController();
    const reason = reasonOf(writer.run(slow(902), { signal: cancel.signal }));
    await waitUntil(
      () => countRunning(902),
      (n) => n === 1,
    );
    cancel.abort();
    expect(await reason).to.match(/abort/i);
    await waitUntil(
      () => countRunning(902),
      (n) => n === 0,
    );
    expect(await writer.rows('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await writer.close();
  });
});
