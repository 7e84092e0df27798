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
import { allProjections } from '@popsvc/projectors/projections';

const isLong = process.env['POPSVC_LONG'] === '1';
const seed = chooseSeed(20_261_124);
const leaseMs = 15_000;
/** How much longer than the lease a takeover may take. Other specs run at the same time as the short form. */
const graceMs = isLong ? 5_000 : 30_000;

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
    flowing = traffic.run(isLong ? 40 : 1_500);
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
  const readOwners = async (): Promise<ReadonlyMap<string, string>> => {
    const { rows } = await stage.postgres.query<{ projection: string; owner: string }>(
      `SELECT projection, l.owner FROM leases l JOIN generations g USING (projection, generation)
       WHERE g.state = 'live' AND l.expires_at > now()`,
    );
    return new Map(rows.map(({ projection, owner }) => [projection, owner]));
  };
  const projectionsOf = async (name: string) =>
    [...(await readOwners())].filter(([, owner]) => owner === name).map(([projection]) => projection);
  const positionOf = async (name: string) => (await readLivePositions(stage)).get(name)!;

  /** Waits until one process holds every lease. Returns the duration, ms. */
  const waitForTakeover = async (name: string): Promise<number> => {
    const began = performance.now();
    await waitUntil(
      () => projectionsOf(name),
      (held) => held.length === allProjections.length,
      60_000,
    );
    return performance.now() - began;
  };
  /** Waits until both processes run projections. */
  const waitUntilShared = () =>
    waitUntil(
      async () => Math.min((await projectionsOf('one')).length, (await projectionsOf('two')).length),
      (fewest) => fewest >= 1,
      90_000,
    );

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
    await waitUntilShared();
    await sleep(5_000);
    const [name] = await projectionsOf('one');
    // Rows and progress of the batch are written, its checkpoint is not.
    await proxy.hold(new RegExp(`token=${name}:1:.*:progress`));
    first.signal('SIGSTOP');
    // As when the clock of PostgreSQL is set forward: the first process holds the lease by its own clock for seconds.
    await stage.postgres.query(`UPDATE leases SET expires_at = now() WHERE projection = $1`, [name]);
    await waitUntil(readOwners, (owners) => owners.get(name!) === 'two', 40_000);
    const at = await positionOf(name!);
    await waitUntil(
      async () => (await positionOf(name!)) > at,
      (isAhead) => isAhead,
      40_000,
    );
    const logged = first.lines.length;
    proxy.release();
    first.signal('SIGCONT');
    const refusal = 'another process moved the checkpoint';
    const since = () => Promise.resolve(first.lines.slice(logged));
    await waitUntil(since, (lines) => lines.some((line) => line.includes(refusal)));
    process.stdout.write(`      the process logged: ${refusal}\n`);
    // The second process hands back what the first one should run.
    await waitUntil(readOwners, (owners) => owners.get(name!) === 'one', 60_000);
  });

  it('take over from a stopped process, whose later writes are ignored', async () => {
    await waitUntilShared();
    first.signal('SIGSTOP');
    const tookMs = await waitForTakeover('two');
    if (isLong) await sleep(60_000 - tookMs);
    const logged = first.lines.length;
    first.signal('SIGCONT');
    // The process finishes what it had begun, and requests its leases again.
    await waitUntilShared();
    const since = first.lines
      .slice(logged)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { err?: { message: string } });
    const reasons = [...new Set(since.flatMap(({ err }) => err?.message ?? []))];
    expect(
      reasons.some((reason) => /lease|moved the checkpoint/.test(reason)),
      reasons.join(),
    ).to.equal(true);
    await second.kill9();
    const killedMs = await waitForTakeover('one');
    const rows = await checkEnd(first);
    for (const each of [tookMs, killedMs]) expect(each).to.be.lessThan(leaseMs + graceMs);
    process.stdout.write(
      `      stopped: taken over after ${Math.round(tookMs)} ms; after it continued: ${reasons.join('; ')}; ` +
        `killed: taken over after ${Math.round(killedMs)} ms; ${rows} rows\n`,
    );
  });
});
