import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { popsvcInProcess } from '../cli/popsvc.fixture.ts';
import {
  countLineEnds,
  createTestPartner,
  waitUntil,
  readProcessTree,
  type Service,
  startService,
  createRandom,
  quantile,
} from '@popsvc/tools/rig';
import { fill } from './demo-plays.fixture.ts';
import { startTrickle, type Trickle } from './trickle.fixture.ts';
import { startReaders } from './watchful-readers.fixture.ts';
import { chooseSeed } from '../support/rounds.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const plays = isLong ? 1_000_000 : 300;
const rate = isLong ? { requests: 10, plays: 200 } : { requests: 0.5, plays: 5 };
/** Replayed after coffee, which is read most; in the short form at the same time. */
const others = isLong ? ['status', 'registry', 'watcher-summary', 'uptime', 'jobs'] : ['status'];
const kills = isLong ? 5 : 1;
/** Maximum time between two kills. */
const longestMs = isLong ? 25_000 : 200;
/** A build has low priority: readers without pauses would leave it no CPU time on a small machine. */
const readersPauseMs = isLong ? 500 : 6_000;
const seed = chooseSeed(20_261_125);

const fromMs = Date.parse('2026-08-01T00:00:00Z');
const whole = 'from=2026-08-01T00:00:00Z&to=2026-09-01T00:00:00Z';
/** Start of the plays that are sent meanwhile, one a second: the rest of the month holds a million. */
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
  let watch: ReturnType<typeof startReaders>;

  const totalOf = async (query: string) => {
    const answer = await createTestPartner(service.credentials).read(`/coffee?${query}&limit=1`);
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
    traffic = startTrickle({ credentials: service.credentials, rate, fromMs: lateMs });
    watch = startReaders(createTestPartner(service.credentials), { whole, late }, readersPauseMs);
  });
  after(async () => {
    await traffic.stop();
    await watch.stop();
    await service.stop();
  });

  const popsvc = (...args: readonly string[]) => popsvcInProcess({ DATA_DIR: service.dataDir })(...args);
  const p99 = (tookMs: readonly number[]) => `${quantile(tookMs, 0.99).toFixed(0)} ms of ${tookMs.length}`;

  /** Undefined while the projectors are down. */
  const replayOf = async (id: number): Promise<Replay | undefined> => {
    const { ops_base_url, operator_token } = service.credentials;
    const headers = { authorization: `Bearer ${operator_token}` };
    const answer = await fetch(`${ops_base_url}/ops/v1/replays/${id}`, { headers }).catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as Replay) : undefined;
  };

  const seenAs = (id: number, is: (seen: Replay | undefined) => boolean, timeoutMs?: number) =>
    waitUntil(() => replayOf(id), is, timeoutMs);

  const projectors = (): number | undefined =>
    readProcessTree(service.pid).find((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('projectors/dist/main.js');
      } catch {
        return false;
      }
    });

  /** Runs the command to its end. Returns the line that it prints. */
  const replayed = async (name: string): Promise<string> => {
    const { code, stdout, stderr } = await popsvc('projections', 'replay', name, '--verify', '--json');
    expect(code, stderr).to.equal(0);
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(report).to.have.all.keys('name', 'from_generation', 'to_generation', 'events', 'seconds', 'verified');
    expect(report).to.deep.include({ name, from_generation: 1, to_generation: 2, verified: true });
    return stdout.replaceAll(/\s+/g, ' ');
  };

  it('do not affect senders and readers', async () => {
    await sleep(isLong ? 60_000 : 1_000);
    const { tookMs: before } = await traffic.report();
    const parallel = isLong ? [] : others.map(replayed);
    const line = await replayed('coffee');
    const { tookMs: during } = await traffic.report();
    const alongside = await Promise.all(parallel);
    const back = await popsvc('projections', 'rollback', 'coffee', '--json');
    expect(back.code, back.stderr).to.equal(0);
    expect(JSON.parse(back.stdout)).to.include({ from_generation: 2, to_generation: 1 });
    const { seconds } = JSON.parse(back.stdout) as { seconds: number };
    process.stdout.write(
      `      ${line}; p99 of ingest before ${p99(before)}, during ${p99(during)}; the rollback took ${seconds} s\n`,
    );
    for (const line of alongside) process.stdout.write(`      ${line}\n`);
    if (isLong) for (const name of others) process.stdout.write(`      ${await replayed(name)}\n`);
    expect(watch.complaints).to.deep.equal([]);
    expect(watch.reads).to.have.all.keys('totals', 'newest', 'pages', 'downloads', 'statuses');
  });

  it(`complete when the projectors are killed ${kills} times meanwhile`, async () => {
    const { fraction } = createRandom(seed);
    const requested = await popsvc('projections', 'replay', 'coffee', '--verify', '--no-wait', '--json');
    const { id } = JSON.parse(requested.stdout) as { id: number };
    const killed: string[] = [];
    const began = performance.now();
    while (killed.length < kills && !(await replayOf(id))?.ended_at) {
      // A killed build keeps the lease of the generation until it expires: seconds in which nothing happens.
      const isBuilt = (seen: Replay | undefined) => seen !== undefined && !['planned', 'building'].includes(seen.state);
      if (!isLong) await seenAs(id, isBuilt, 90_000);
      await sleep(fraction() * longestMs);
      const before = await replayOf(id);
      const pid = await waitUntil(
        () => Promise.resolve(projectors()),
        (found) => found !== undefined,
      );
      process.kill(pid!, 'SIGKILL');
      killed.push(`${((performance.now() - began) / 1_000).toFixed(1)} s (${before?.state})`);
      // The supervisor starts it again, with growing pauses.
      await seenAs(id, (seen) => seen !== undefined, 60_000);
    }
    const replay = await seenAs(id, (seen) => Boolean(seen?.ended_at), isLong ? 1_800_000 : 180_000);
    expect(replay).to.deep.include({ state: 'done', verified: true, error: null });
    expect(killed).to.not.be.empty;
    process.stdout.write(
      `      killed after ${killed.join(', ')}; done after ${replay!.seconds} s, paused for ${replay!.paused_seconds} s\n`,
    );
  });

  it('leave every accepted play once', async () => {
    const { sent, repeated } = await traffic.stop();
    const all = plays + sent;
    await waitUntil(
      () => totalOf(whole),
      (total) => total === all,
      60_000,
    );
    const { body } = await createTestPartner(service.credentials).read(`/coffee/download?${whole}`);
    let lines = 0;
    for await (const chunk of body!) lines += countLineEnds(chunk as Uint8Array);
    expect(lines).to.equal(all + 1);
    await watch.stop();
    expect(watch.complaints).to.deep.equal([]);
    process.stdout.write(
      `      ${all} plays, ${repeated} retried requests; the newest play in the report is ${watch.newest()}; ${JSON.stringify(watch.reads)}\n`,
    );
  });

  it('are listed, and refused with a reason', async () => {
    const list = await popsvc('projections', 'list', '--json');
    const projections = JSON.parse(list.stdout) as { name: string; generation: number; outdated: boolean }[];
    expect(projections.find(({ name }) => name === 'coffee')).to.include({ generation: 3, outdated: false });
    expect(projections.find(({ name }) => name === 'status')).to.include({ generation: 2, outdated: false });
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
    const requested = await popsvc('projections', 'replay', 'coffee', '--no-wait', '--json');
    expect(JSON.parse(requested.stdout)).to.include({ name: 'coffee', from_generation: 3, to_generation: 4 });
    const again = await popsvc('projections', 'replay', 'coffee');
    expect([again.code, again.stderr.includes('already')]).to.deep.equal([1, true]);
    const cancelled = await popsvc('projections', 'cancel', 'coffee');
    expect([cancelled.code, cancelled.stdout], cancelled.stderr).to.deep.equal([
      0,
      'The replay of coffee is cancelled.\n',
    ]);
  });
});
