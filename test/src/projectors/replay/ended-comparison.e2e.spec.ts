import { requestReplayCancellation, type ReplayRecord } from '@popsvc/platform/postgres';
import type { ReplayDependencies } from '@popsvc/projectors/engine/replay';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { compares, readLeftovers } from './gate.fixture.ts';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

/** Runs for a hundred seconds and sends nothing meanwhile. */
/** How long the comparison takes. */
const slowMs = 100_000;
const slowSql = `SELECT toFloat64(1) AS network, NULL AS day, toFloat64(sum(sleepEachRow(1))) AS rows, '0' AS hash
  FROM numbers(100) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;
const runningSql = `SELECT toFloat64(count()) AS running FROM system.processes
  WHERE current_database = currentDatabase() AND query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'`;

describe('a long comparison of generations', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'uptime'] });
    await system.appendRound(1);
    // Empty tables are not compared.
    await system.waitUntilCaughtUp('uptime', [1]);
  });
  after(() => system.close());

  const withSlowComparison = (parts: ReplayDependencies): ReplayDependencies => {
    const { writer } = parts;
    const rows: ClickHouseWriter['rows'] = (query, options) => writer.rows(compares(query) ? slowSql : query, options);
    return { ...parts, writer: { ...writer, rows } };
  };
  const running = async () => (await system.writer.rows<{ running: number }>(runningSql))[0]!.running;
  /** Runs a replay until it compares. */
  const startComparison = async (
    signal?: AbortSignal,
  ): Promise<{ replay: ReplayRecord; ended: Promise<ReplayRecord> }> => {
    const replay = await system.plan('uptime', true);
    const ended = system.runReplay(replay, withSlowComparison(system.dependenciesOf('slow')), signal);
    await waitUntil(running, (count) => count > 0);
    return { replay, ended };
  };
  /** Waits for the end, and checks that nothing is left. Returns how long that took, in ms. */
  const measureEnd = async (ended: Promise<unknown>) => {
    const began = performance.now();
    await ended;
    const ms = performance.now() - began;
    await waitUntil(running, (count) => count === 0);
    expect(await readLeftovers(system)).to.deep.equal({ copies: [], held: [] });
    return ms;
  };

  it('ends early when the replay is cancelled', async () => {
    const { replay, ended } = await startComparison();
    await requestReplayCancellation(system.postgres, replay.id);
    expect(await measureEnd(ended)).to.be.lessThan(slowMs / 3);
    expect(await ended).to.include({ state: 'cancelled' });
  });

  it('ends early when the service stops, and another process resumes the replay', async () => {
    const stop = new AbortController();
    const { replay, ended } = await startComparison(stop.signal);
    stop.abort();
    expect(await measureEnd(ended)).to.be.lessThan(slowMs / 3);
    expect(await ended).to.include({ state: 'verifying', endedAt: null });
    expect(await system.runReplay(replay)).to.include({ state: 'done', verified: true });
  });
});
