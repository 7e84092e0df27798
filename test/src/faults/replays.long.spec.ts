import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { popsvcInProcess } from '../cli/popsvc.fixture.ts';
import {
  linesIn,
  createTestPartner,
  waitUntil,
  processTree,
  type Service,
  startService,
  chance,
  percentile,
} from '@popsvc/tools/rig';
import { fill } from './demo-plays.fixture.ts';
import { trickle, type Trickle } from './trickle.fixture.ts';
import { watchfulReaders } from './watchful-readers.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const plays = isLong ? 1_000_000 : 1_000;
const rate = isLong ? { requests: 10, plays: 200 } : { requests: 0.5, plays: 5 };
/** Replayed after coffee, which most is read of; in the short form beside it. */
const others = isLong ? ['status', 'registry', 'watcher-summary', 'uptime', 'jobs'] : ['status'];
const kills = isLong ? 5 : 1;
/** Between two kills at most. */
const longestMs = isLong ? 25_000 : 200;
/** What is built gives way to everybody: readers without a pause would leave nothing to it on a small machine. */
const readersPauseMs = isLong ? 500 : 3_000;
const seed = Number(process.env['SEED'] ?? 20_261_125);

const fromMs = Date.parse('2026-08-01T00:00:00Z');
const whole = 'from=2026-08-01T00:00:00Z&to=2026-09-01T00:00:00Z';
/** The plays that come meanwhile, one a second: the rest of the month holds a million. */
const lateMs = Date.parse('2026-08-20T00:00:00Z');
const late = 'from=2026-08-20T00:00:00Z&to=2026-09-01T00:00:00Z';

interface Replay {
  readonly state: string;
  readonly verified: boolean;
  readonly ended_at: string | null;
  readonly error: string | null;
  readonly seconds: number;
  readonly paused_seconds: number;
}

describe(`replays of ${plays} plays while ${rate.plays} a second come in (seed ${seed})`, function () {
  this.timeout(isLong ? 7_200_000 : 300_000);
  let service: Service;
  let traffic: Trickle;
  let watch: ReturnType<typeof watchfulReaders>;

  const totalOf = async (asked: string) => {
    const answer = await createTestPartner(service.credentials).read(`/coffee?${asked}&limit=1`);
    return ((await answer.json()) as { data: { total: number } }).data.total;
  };

  before(async () => {
    service = await startService();
    const { push } = createTestPartner(service.credentials);
    await fill(push, plays, fromMs);
    await waitUntil(
      () => totalOf(whole),
      (total) => total === plays,
      isLong ? 1_800_000 : 60_000,
    );
    traffic = trickle({ credentials: service.credentials, rate, fromMs: lateMs });
    watch = watchfulReaders(createTestPartner(service.credentials), { whole, late }, readersPauseMs);
  });
  after(async () => {
    await traffic.stop();
    await watch.stop();
    await service.stop();
  });

  const popsvc = (...args: readonly string[]) => popsvcInProcess({ DATA_DIR: service.dataDir })(...args);
  const p99 = (tookMs: readonly number[]) => `${percentile(tookMs, 0.99).toFixed(0)} ms of ${tookMs.length}`;

  /** Undefined while the projectors are away. */
  const replayOf = async (id: number): Promise<Replay | undefined> => {
    const { ops_base_url, operator_token } = service.credentials;
    const headers = { authorization: `Bearer ${operator_token}` };
    const answer = await fetch(`${ops_base_url}/ops/v1/replays/${id}`, { headers }).catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as Replay) : undefined;
  };

  const seenAs = (id: number, is: (seen: Replay | undefined) => boolean, patienceMs?: number) =>
    waitUntil(() => replayOf(id), is, patienceMs);

  const projectors = (): number | undefined =>
    processTree(service.pid).find((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('projectors/dist/main.js');
      } catch {
        return false;
      }
    });

  /** By the command, to its end; the line it prints. */
  const replayed = async (name: string): Promise<string> => {
    const { code, stdout, stderr } = await popsvc('projections', 'replay', name, '--verify', '--json');
    expect(code, stderr).to.equal(0);
    const told = JSON.parse(stdout) as Record<string, unknown>;
    expect(told).to.have.all.keys('name', 'from_generation', 'to_generation', 'events', 'seconds', 'verified');
    expect(told).to.deep.include({ name, from_generation: 1, to_generation: 2, verified: true });
    return stdout.replaceAll(/\s+/g, ' ');
  };

  it('are not felt by who sends and who reads', async () => {
    await sleep(isLong ? 60_000 : 1_000);
    const { tookMs: before } = await traffic.told();
    const beside = isLong ? [] : others.map(replayed);
    const told = await replayed('coffee');
    const { tookMs: during } = await traffic.told();
    const alongside = await Promise.all(beside);
    const back = await popsvc('projections', 'rollback', 'coffee', '--json');
    expect(back.code, back.stderr).to.equal(0);
    expect(JSON.parse(back.stdout)).to.include({ from_generation: 2, to_generation: 1 });
    const { seconds } = JSON.parse(back.stdout) as { seconds: number };
    process.stdout.write(
      `      ${told}; p99 of ingest before ${p99(before)}, during ${p99(during)}; going back took ${seconds} s\n`,
    );
    for (const line of alongside) process.stdout.write(`      ${line}\n`);
    if (isLong) for (const name of others) process.stdout.write(`      ${await replayed(name)}\n`);
    expect(watch.complaints).to.deep.equal([]);
    expect(watch.reads).to.have.all.keys('totals', 'newest', 'pages', 'downloads', 'statuses');
  });

  it(`end by themselves when the projectors are killed ${kills} times meanwhile`, async () => {
    const { next } = chance(seed);
    const asked = await popsvc('projections', 'replay', 'coffee', '--verify', '--no-wait', '--json');
    const { id } = JSON.parse(asked.stdout) as { id: number };
    const killed: string[] = [];
    const began = performance.now();
    while (killed.length < kills && !(await replayOf(id))?.ended_at) {
      // A process that builds and is killed keeps its part of the log for as long as a lease lasts: seconds that nothing happens in.
      if (!isLong) await seenAs(id, (seen) => seen !== undefined && !['planned', 'building'].includes(seen.state));
      await sleep(next() * longestMs);
      const before = await replayOf(id);
      const pid = await waitUntil(
        () => Promise.resolve(projectors()),
        (found) => found !== undefined,
      );
      process.kill(pid!, 'SIGKILL');
      killed.push(`${((performance.now() - began) / 1_000).toFixed(1)} s (${before?.state})`);
      // Its supervisor starts it again, later each time.
      await seenAs(id, (seen) => seen !== undefined, 60_000);
    }
    const replay = await seenAs(id, (seen) => Boolean(seen?.ended_at), isLong ? 1_800_000 : 180_000);
    expect(replay).to.deep.include({ state: 'done', verified: true, error: null });
    expect(killed).to.not.be.empty;
    process.stdout.write(
      `      killed after ${killed.join(', ')}; done after ${replay!.seconds} s, stood still ${replay!.paused_seconds} s\n`,
    );
  });

  it('leave every play that was accepted, once', async () => {
    const { sent, repeated } = await traffic.stop();
    const all = plays + sent;
    await waitUntil(
      () => totalOf(whole),
      (total) => total === all,
      60_000,
    );
    const { body } = await createTestPartner(service.credentials).read(`/coffee/download?${whole}`);
    let lines = 0;
    for await (const chunk of body!) lines += linesIn(chunk as Uint8Array);
    expect(lines).to.equal(all + 1);
    await watch.stop();
    expect(watch.complaints).to.deep.equal([]);
    process.stdout.write(
      `      ${all} plays, ${repeated} requests sent again; the newest that was seen is ${watch.newest()}; ${JSON.stringify(watch.reads)}\n`,
    );
  });

  it('are listed, and refused in plain words', async () => {
    const list = await popsvc('projections', 'list', '--json');
    const told = JSON.parse(list.stdout) as { name: string; generation: number; outdated: boolean }[];
    expect(told.find(({ name }) => name === 'coffee')).to.include({ generation: 3, outdated: false });
    expect(told.find(({ name }) => name === 'status')).to.include({ generation: 2, outdated: false });
    const unknown = await popsvc('projections', 'replay', 'tea');
    expect([unknown.code, unknown.stdout]).to.deep.equal([1, '']);
    expect(unknown.stderr).to.include('coffee, watcher-summary');
    const noNeed = await popsvc('projections', 'replay', 'coffee', '--from-version', '0', '--json');
    expect(noNeed.code).to.equal(0);
    expect(JSON.parse(noNeed.stdout)).to.include({ from_generation: 3, to_generation: 3, events: 0 });
    const nothing = await popsvc('projections', 'cancel', 'coffee');
    expect([nothing.code, nothing.stderr]).to.deep.equal([1, 'popsvc: There is no replay of coffee to cancel.\n']);
  });

  it('are cancelled', async () => {
    const asked = await popsvc('projections', 'replay', 'coffee', '--no-wait', '--json');
    expect(JSON.parse(asked.stdout)).to.include({ name: 'coffee', from_generation: 3, to_generation: 4 });
    const again = await popsvc('projections', 'replay', 'coffee');
    expect([again.code, again.stderr.includes('already')]).to.deep.equal([1, true]);
    const cancelled = await popsvc('projections', 'cancel', 'coffee');
    expect([cancelled.code, cancelled.stdout], cancelled.stderr).to.deep.equal([
      0,
      'The replay of coffee is cancelled.\n',
    ]);
  });
});
