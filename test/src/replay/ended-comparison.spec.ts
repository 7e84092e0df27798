import { requestReplayCancellation, type ReplayRecord } from '@popsvc/platform/postgres';
import type { ReplayDependencies } from '@popsvc/projectors/engine/replay';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { compares, leftBy } from './gate.fixture.ts';
import { type Replaying, replaying } from './replaying.fixture.ts';

/** A hundred seconds, in which the server says nothing. */
const slowSql = `SELECT toFloat64(1) AS network, NULL AS day, toFloat64(sum(sleepEachRow(1))) AS rows, '0' AS hash
  FROM numbers(100) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;
const runningSql = `SELECT toFloat64(count()) AS running FROM system.processes
  WHERE current_database = currentDatabase() AND query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'`;

describe('a long comparison of generations', function () {
  this.timeout(60_000);
  let system: Replaying;
  before(async () => {
    system = await replaying();
    await system.tell(1);
    // Of tables that hold nothing there is nothing to compare.
    await system.caughtUp('uptime', [1]);
  });
  after(() => system.close());

  const slowly = (parts: ReplayDependencies): ReplayDependencies => {
    const { writer } = parts;
    const rows: ClickHouseWriter['rows'] = (query, options) => writer.rows(compares(query) ? slowSql : query, options);
    return { ...parts, writer: { ...writer, rows } };
  };
  const running = async () => (await system.writer.rows<{ running: number }>(runningSql))[0]!.running;
  /** Conducts one until it compares. */
  const comparing = async (signal?: AbortSignal): Promise<{ replay: ReplayRecord; ended: Promise<ReplayRecord> }> => {
    const replay = await system.plan('uptime', true);
    const ended = system.conduct(replay, slowly(system.partsOf('slow')), signal);
    await waitUntil(running, (count) => count > 0);
    return { replay, ended };
  };
  /** What is left of it once it has ended, and how long that took. */
  const sinceThen = async (ended: Promise<unknown>) => {
    const began = performance.now();
    await ended;
    const ms = performance.now() - began;
    await waitUntil(running, (count) => count === 0, 3_000);
    expect(await leftBy(system)).to.deep.equal({ copies: [], held: [] });
    return ms;
  };

  it('ends within a moment when the replay is cancelled', async () => {
    const { replay, ended } = await comparing();
    await requestReplayCancellation(system.postgres, replay.id);
    expect(await sinceThen(ended)).to.be.lessThan(5_000);
    expect(await ended).to.include({ state: 'cancelled' });
  });

  it('ends within a moment when the service is stopped, and another goes on', async () => {
    const stop = new AbortController();
    const { replay, ended } = await comparing(stop.signal);
    stop.abort();
    expect(await sinceThen(ended)).to.be.lessThan(4_000);
    expect(await ended).to.include({ state: 'verifying', endedAt: null });
    expect(await system.conduct(replay)).to.include({ state: 'done', verified: true });
  });
});
