import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { type FaultProxy, startFaultProxy } from './fault-proxy.fixture.ts';
import {
  waitUntilCaughtUp,
  assertCheckpointsOnlyGrew,
  assertAllAcknowledgedStored,
  assertTablesMatchLog,
  readLivePositions,
  assertNothingParked,
} from '@popsvc/tools/soak';
import { type ProjectorsProcess, startProjectors } from './projectors-process.fixture.ts';
import { openStage, type Stage } from './stage.fixture.ts';
import { type Traffic, createTraffic } from './traffic.fixture.ts';
import { flowRegistry } from './world.fixture.ts';
import { chooseSeed } from '../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const seed = chooseSeed(20_261_124);
const leaseMs = 15_000;
/** How much longer than the lease a takeover may take, on a machine without other load. */
const graceMs = 5_000;

describe(`two processes of projectors (seed ${seed})`, function () {
  this.timeout(300_000);
  let stage: Stage;
  let traffic: Traffic;
  let flowing: ReturnType<Traffic['run']>;
  const running: ProjectorsProcess[] = [];
  const start = async (name: string, env: Readonly<Record<string, string>> = {}) => {
    const started = await startProjectors(stage.stores, { POPSVC_INSTANCE: name, ...env });
    running.push(started);
    return started;
  };

  let first: ProjectorsProcess;
  let second: ProjectorsProcess;
  let proxy: FaultProxy;
  before(async () => {
    stage = await openStage();
    await stage.register(flowRegistry);
    traffic = createTraffic(stage, seed);
    flowing = traffic.run(isLong ? 40 : 500);
    proxy = await startFaultProxy(stage.stores.clickhouse.url);
    first = await start('one', { CLICKHOUSE_URL: proxy.url });
    await waitForTakeover('one');
    second = await start('two');
  });
  after(async () => {
    for (const process of running.splice(0)) await process.kill9();
    await stage.close();
  });

  /** Lease holders of the live generations, by projection. */
  const owners = async () => {
    const { rows } = await stage.postgres.query<{ owner: string }>(
      `SELECT l.owner FROM leases l JOIN generations g USING (projection, generation)
       WHERE g.state = 'live' AND l.expires_at > now() ORDER BY projection`,
    );
    return rows.map(({ owner }) => owner);
  };
  const sixTimes = (name: string) => Array.from({ length: 6 }, () => name);
  const areAllOf = (name: string) => (seen: readonly string[]) => seen.join() === sixTimes(name).join();

  const positionOf = async (name: string) => (await readLivePositions(stage)).get(name)!;

  /** Waits until one process holds every lease. Returns the duration, ms. */
  const waitForTakeover = async (name: string): Promise<number> => {
    const began = performance.now();
    await waitUntil(owners, areAllOf(name), 60_000);
    return performance.now() - began;
  };

  const checkEnd = async (last: ProjectorsProcess) => {
    await flowing.stop();
    await waitUntilCaughtUp(stage);
    await last.stop();
    await assertNothingParked(stage);
    await assertCheckpointsOnlyGrew(stage);
    await assertAllAcknowledgedStored(stage, traffic.acknowledged);
    return assertTablesMatchLog(stage, { wholeRows: !isLong });
  };

  it('refuse a checkpoint of a process that lost its lease within a batch', async () => {
    await sleep(1_500);
    expect(await owners()).to.deep.equal(sixTimes('one'));
    // Rows and progress of the batch are written, its checkpoint is not.
    await proxy.hold(/token=coffee:1:.*:progress/);
    first.signal('SIGSTOP');
    // As when the clock of PostgreSQL is set forward: the first process holds the lease by its own clock for seconds.
    await stage.postgres.query(`UPDATE leases SET expires_at = now() WHERE projection = 'coffee'`);
    await waitUntil(owners, ([coffee]) => coffee === 'two');
    const at = await positionOf('coffee');
    await waitUntil(
      () => positionOf('coffee'),
      (position) => position > at,
    );
    const logged = first.lines.length;
    proxy.release();
    first.signal('SIGCONT');
    const refusal = 'another process moved the checkpoint';
    const since = () => Promise.resolve(first.lines.slice(logged));
    await waitUntil(since, (lines) => lines.some((line) => line.includes(refusal)));
    await waitUntil(since, (lines) => lines.some((line) => line.includes('another process holds the lease')));
    expect((await owners())[0]).to.equal('two');
    process.stdout.write(`      the process logged: ${refusal}\n`);
  });

  /** Kills the second process. Returns how long the takeover by the first one takes, ms. */
  const killSecond = async (second: ProjectorsProcess): Promise<number> => {
    await second.kill9();
    const tookMs = await waitForTakeover('one');
    expect(tookMs).to.be.lessThan(leaseMs + graceMs);
    return tookMs;
  };

  it('take over from a stopped process, whose later writes are ignored', async () => {
    expect(await owners()).to.deep.equal(['two', ...sixTimes('one').slice(1)]);
    first.signal('SIGSTOP');
    const tookMs = await waitForTakeover('two');
    const before = await stage.postgres.query<{ id: string; epochs: string }>(
      `SELECT max(id) AS id, count(DISTINCT epoch) AS epochs FROM checkpoint_history`,
    );
    if (isLong) await sleep(60_000 - tookMs);
    const logged = first.lines.length;
    first.signal('SIGCONT');
    // The process finishes what it had begun, and requests its leases again.
    await sleep(isLong ? 20_000 : 4_000);
    expect(await owners()).to.deep.equal(sixTimes('two'));
    const since = first.lines
      .slice(logged)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { projection?: string; err?: { message: string } });
    // The loss of coffee's lease was logged before.
    const reasons = since.flatMap(({ projection, err }) => (err && projection !== 'coffee' ? [err.message] : []));
    const late = await stage.postgres.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM checkpoint_history h JOIN leases l USING (projection, generation)
       WHERE h.id > $1 AND h.epoch < l.epoch`,
      [before.rows[0]!.id],
    );
    expect(late.rows[0]!.count, 'checkpoint moves of a process without the lease').to.equal(0);
    expect(reasons).to.include('another process holds the lease');
    const killedMs = isLong ? await killSecond(second) : undefined;
    const rows = await checkEnd(isLong ? first : second);
    expect(tookMs).to.be.lessThan(leaseMs + graceMs);
    const messages = [...new Set(reasons)].join('; ');
    process.stdout.write(
      `      stopped: taken over after ${Math.round(tookMs)} ms; after it continued: ${messages}; ` +
        `${killedMs === undefined ? '' : `killed: taken over after ${Math.round(killedMs)} ms; `}${rows} rows\n`,
    );
  });
});
