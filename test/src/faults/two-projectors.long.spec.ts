import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { type FaultProxy, faultProxy } from './fault-proxy.fixture.ts';
import {
  caughtUp,
  checkpointsOnlyGrew,
  holdsAll,
  isWhatTheLogSays,
  livePositions,
  nothingIsParked,
} from '@popsvc/tools/soak';
import { type ProjectorsProcess, startProjectors } from './projectors-process.fixture.ts';
import { openStage, type Stage } from './stage.fixture.ts';
import { type Traffic, trafficOf } from './traffic.fixture.ts';
import { flowRegistry } from './world.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const seed = Number(process.env['SEED'] ?? 20_261_124);
const leaseMs = 15_000;
/** What taking over may take longer than the lease; by whoever is not starved by other processes of this machine. */
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
    traffic = trafficOf(stage, seed);
    flowing = traffic.run(isLong ? 40 : 200);
    proxy = await faultProxy(stage.stores.clickhouse.url);
    first = await start('one', { CLICKHOUSE_URL: proxy.url });
    await takenOverBy('one');
    second = await start('two');
  });
  after(async () => {
    for (const process of running.splice(0)) await process.kill9();
    await stage.close();
  });

  /** Who has which live generation. */
  const owners = async () => {
    const { rows } = await stage.postgres.query<{ owner: string }>(
      `SELECT l.owner FROM leases l JOIN generations g USING (projection, generation)
       WHERE g.state = 'live' AND l.expires_at > now() ORDER BY projection`,
    );
    return rows.map(({ owner }) => owner);
  };
  const sixTimes = (name: string) => Array.from({ length: 6 }, () => name);
  const areOf = (name: string) => (seen: readonly string[]) => seen.join() === sixTimes(name).join();

  const positionOf = async (name: string) => (await livePositions(stage)).get(name)!;

  /** How long it takes until one process has everything, ms. */
  const takenOverBy = async (name: string): Promise<number> => {
    const began = performance.now();
    await waitUntil(owners, areOf(name), 60_000);
    return performance.now() - began;
  };

  const endsWell = async (last: ProjectorsProcess) => {
    await flowing.stop();
    await caughtUp(stage);
    await last.stop();
    await nothingIsParked(stage);
    await checkpointsOnlyGrew(stage);
    await holdsAll(stage, traffic.acknowledged);
    return isWhatTheLogSays(stage, { wholeRows: !isLong });
  };

  it('refuse the checkpoint of one whose lease was given away while it was in the middle of a batch', async () => {
    await sleep(1_500);
    expect(await owners()).to.deep.equal(sixTimes('one'));
    // Its rows and its progress are written, its checkpoint is not.
    await proxy.hold(/token=coffee:1:.*:progress/);
    first.signal('SIGSTOP');
    // As when the clock of PostgreSQL is set: the first believes for seconds that it has it.
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
    process.stdout.write(`      it was told: ${refusal}\n`);
  });

  /** The second is killed, the first has everything again. */
  const killed = async (second: ProjectorsProcess): Promise<number> => {
    await second.kill9();
    const tookMs = await takenOverBy('one');
    expect(tookMs).to.be.lessThan(leaseMs + graceMs);
    return tookMs;
  };

  it('take over from one that is stopped, and nothing it does afterwards is believed', async () => {
    expect(await owners()).to.deep.equal(['two', ...sixTimes('one').slice(1)]);
    first.signal('SIGSTOP');
    const tookMs = await takenOverBy('two');
    const before = await stage.postgres.query<{ id: string; epochs: string }>(
      `SELECT max(id) AS id, count(DISTINCT epoch) AS epochs FROM checkpoint_history`,
    );
    if (isLong) await sleep(60_000 - tookMs);
    const logged = first.lines.length;
    first.signal('SIGCONT');
    // All that it had begun comes to its end, and it asks again for what it has lost.
    await sleep(isLong ? 20_000 : 4_000);
    expect(await owners()).to.deep.equal(sixTimes('two'));
    const since = first.lines
      .slice(logged)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { projection?: string; err?: { message: string } });
    // Of coffee it knew before that it is another's.
    const reasons = since.flatMap(({ projection, err }) => (err && projection !== 'coffee' ? [err.message] : []));
    const late = await stage.postgres.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM checkpoint_history h JOIN leases l USING (projection, generation)
       WHERE h.id > $1 AND h.epoch < l.epoch`,
      [before.rows[0]!.id],
    );
    expect(late.rows[0]!.count, 'moves of a checkpoint by who had lost it').to.equal(0);
    expect(reasons).to.include('another process holds the lease');
    const killedMs = isLong ? await killed(second) : undefined;
    const rows = await endsWell(isLong ? first : second);
    expect(tookMs).to.be.lessThan(leaseMs + graceMs);
    const told = [...new Set(reasons)].join('; ');
    process.stdout.write(
      `      stopped: taken over after ${Math.round(tookMs)} ms; when it woke: ${told}; ` +
        `${killedMs === undefined ? '' : `killed: taken over after ${Math.round(killedMs)} ms; `}${rows} rows\n`,
    );
  });
});
