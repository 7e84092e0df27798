import { coffeeDataset } from '@popsvc/read-models/datasets';
import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createMetrics } from '@popsvc/platform/telemetry';
import { createProjectors } from '@popsvc/projectors/service';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

/** A statement that takes two minutes. */
const slowStatement = `SELECT sleepEachRow(1) FROM numbers(120)
  SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;

describe('projectors whose first batch takes minutes', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'] });
    await system.register(smallRegistry);
    await system.play({ eventId: 'A', playedAt: '2026-08-20T14:00:00.000Z', durationMs: 10_000 });
  });
  after(() => system.close());

  /** Runs the projection coffee; with `isSlow`, the statement that derives its rows takes two minutes. */
  const start = async (isSlow: boolean) => {
    const { CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD } = system.env;
    const writer = openClickHouseWriter({
      url: CLICKHOUSE_URL!,
      username: CLICKHOUSE_USER!,
      password: CLICKHOUSE_PASSWORD!,
    });
    const run: typeof writer.run = (query, options) =>
      writer.run(isSlow && query.includes('INSERT INTO coffee_g1') ? slowStatement : query, options);
    const { parts, postgres } = system;
    const projectors = await createProjectors({
      ...parts,
      writers: [{ ...writer, run }],
      postgres,
      metrics: createMetrics('test'),
    });
    const stop = async () => {
      await projectors.stop();
      await writer.close();
    };
    return { stop, statuses: () => projectors.statusRegistry.statuses };
  };
  const isSlowStatementRunning = async () => {
    const [row] = await system.writer.rows<{ n: number }>(
      `SELECT toUInt32(count()) AS n FROM system.processes
       WHERE current_database = currentDatabase() AND query LIKE '%numbers(120)%' AND query NOT LIKE '%system.processes%'`,
    );
    return row!.n > 0;
  };
  const readRows = async () => (await system.rows(coffeeDataset)).map((row) => row['EVENT_ID']);

  it('are ready during the batch, stop before its end, and repeat it after the next start', async () => {
    const slow = await start(true);
    await waitUntil(isSlowStatementRunning, (isRunning) => isRunning);
    const coffee = slow.statuses().find(({ name }) => name === 'coffee');
    expect(coffee).to.include({ name: 'coffee', state: 'running', position: 0n });

    const stoppedAt = performance.now();
    await slow.stop();
    // The statement takes two minutes.
    expect(performance.now() - stoppedAt).to.be.lessThan(20_000);
    await waitUntil(isSlowStatementRunning, (isRunning) => !isRunning);
    expect(await readRows()).to.deep.equal([]);

    const next = await start(false);
    expect(await waitUntil(readRows, (rows) => rows.length > 0)).to.deep.equal(['A']);
    await next.stop();
  });
});
