import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { watchfulReaders } from '../e2e/watchful-readers.fixture.ts';
import { popsvcWith } from '../operator/popsvc.fixture.ts';
import { partner, until } from '../support/partner.ts';
import { family, type Service, startService } from '../support/service.ts';
import { chance, percentile } from './chance.fixture.ts';
import { fill, trickle, type Trickle } from './demo-plays.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const plays = isLong ? 1_000_000 : 1_000;
const perSecond = isLong ? 200 : 50;
const kills = isLong ? 5 : 1;
/** Between two kills at most. */
const longestMs = isLong ? 25_000 : 2_000;
/** What is built gives way to everybody: readers without a pause would leave nothing to it on a small machine. */
const readersPauseMs = 500;
const seed = Number(process.env['SEED'] ?? 20_261_125);

const fromMs = Date.parse('2026-08-01T00:00:00Z');
const whole = 'from=2026-08-01T00:00:00Z&to=2026-09-01T00:00:00Z';
/** The plays that come meanwhile, one a second: the rest of the month holds a million. */
const lateMs = Date.parse('2026-08-20T00:00:00Z');
const late = 'from=2026-08-20T00:00:00Z&to=2026-09-01T00:00:00Z';

interface Page {
  readonly total: number;
  readonly rows: readonly { readonly EVENT_ID: string }[];
}

interface Replay {
  readonly state: string;
  readonly verified: boolean;
  readonly ended_at: string | null;
  readonly error: string | null;
  readonly seconds: number;
  readonly stood_still_seconds: number;
}

/** Plays of one prefix are numbered in the order of their time. */
const hasGap = ({ rows }: Page): boolean =>
  rows.some(({ EVENT_ID }, index) => {
    const [prefix, number] = EVENT_ID.split('-');
    const [after, next] = rows[index - 1]?.EVENT_ID.split('-') ?? [];
    return after === prefix && Number(next) !== Number(number) + 1;
  });

describe(`replays of ${plays} plays while ${perSecond} a second come in (seed ${seed})`, function () {
  this.timeout(isLong ? 7_200_000 : 300_000);
  let service: Service;
  let traffic: Trickle;
  let watch: ReturnType<typeof watchfulReaders>;
  let [total, newest, asOf] = [0, '', ''];
  const complaints: string[] = [];
  const end = new AbortController();
  const reading: Promise<void>[] = [];

  const pageOf = async (asked: string): Promise<Page> => {
    const answer = await partner(service.credentials).read(`/coffee?${asked}`);
    if (answer.status !== 200) throw new Error(`${asked} answered ${answer.status}: ${await answer.text()}`);
    const told = answer.headers.get('x-data-as-of') ?? '';
    if (told < asOf) complaints.push(`as of ${told} after ${asOf}`);
    asOf = told;
    return ((await answer.json()) as { data: Page }).data;
  };
  /** From the end backwards: what was the newest play is still there, and the total never falls. */
  const backwards = async () => {
    while (!end.signal.aborted) {
      const page = await pageOf(`${whole}&sort=desc&limit=1000`).catch(
        (error: unknown) => void complaints.push(String(error)),
      );
      if (page && page.total < total) complaints.push(`a total of ${page.total} after ${total}`);
      if (page && hasGap(page)) complaints.push('a gap in a page');
      if (page) [total, newest] = [page.total, page.rows[0]?.EVENT_ID ?? newest];
      await sleep(readersPauseMs);
    }
  };

  before(async () => {
    service = await startService();
    const { push } = partner(service.credentials);
    await fill(push, plays, fromMs);
    await until(
      () => pageOf(`${whole}&limit=1`),
      (page) => page.total === plays,
      isLong ? 1_800_000 : 60_000,
    );
    traffic = trickle(push, perSecond, lateMs);
    watch = watchfulReaders(partner(service.credentials), late, readersPauseMs);
    reading.push(backwards());
  });
  after(async () => {
    end.abort();
    await Promise.all(reading);
    await traffic.stop();
    await watch.stop();
    await service.stop();
  });

  const popsvc = (...args: readonly string[]) => popsvcWith({ DATA_DIR: service.dataDir })(...args);
  const p99 = (tookMs: readonly number[]) => `${percentile(tookMs, 0.99).toFixed(0)} ms of ${tookMs.length}`;

  /** Undefined while the projectors are away. */
  const replayOf = async (id: number): Promise<Replay | undefined> => {
    const { ops_base_url, operator_token } = service.credentials;
    const headers = { authorization: `Bearer ${operator_token}` };
    const answer = await fetch(`${ops_base_url}/ops/v1/replays/${id}`, { headers }).catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as Replay) : undefined;
  };

  const projectors = (): number | undefined =>
    family(service.pid).find((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('projectors/dist/main.js');
      } catch {
        return false;
      }
    });

  // How readers see replays is told by e2e/replay in both forms; this is how it feels.
  if (isLong)
    it('are not felt by who sends and who reads', async () => {
      await sleep(60_000);
      const before = traffic.latencies();
      const { code, stdout, stderr } = await popsvc('projections', 'replay', 'coffee', '--verify', '--json');
      const during = traffic.latencies();
      expect(code, stderr).to.equal(0);
      expect(JSON.parse(stdout)).to.include({ name: 'coffee', from_generation: 1, to_generation: 2, verified: true });
      const back = await popsvc('projections', 'rollback', 'coffee', '--json');
      expect(back.code, back.stderr).to.equal(0);
      expect(JSON.parse(back.stdout)).to.include({ from_generation: 2, to_generation: 1 });
      expect([...complaints, ...watch.complaints]).to.deep.equal([]);
      const after = traffic.latencies();
      process.stdout.write(
        `      ${stdout.replaceAll(/\s+/g, ' ')}; p99 of ingest before ${p99(before)}, during ${p99(during)}, ` +
          `going back ${p99(after)}; going back took ${String((JSON.parse(back.stdout) as { seconds: number }).seconds)} s\n`,
      );
    });

  it(`end by themselves when the projectors are killed ${kills} times meanwhile`, async () => {
    const { next } = chance(seed);
    const asked = await popsvc('projections', 'replay', 'coffee', '--verify', '--no-wait', '--json');
    const { id } = JSON.parse(asked.stdout) as { id: number };
    const killed: string[] = [];
    const began = performance.now();
    while (killed.length < kills && !(await replayOf(id))?.ended_at) {
      await sleep(next() * longestMs);
      const before = await replayOf(id);
      const pid = await until(
        () => Promise.resolve(projectors()),
        (found) => found !== undefined,
      );
      process.kill(pid!, 'SIGKILL');
      killed.push(`${((performance.now() - began) / 1_000).toFixed(1)} s (${before?.state})`);
      // Its supervisor starts it again, later each time.
      await until(
        () => replayOf(id),
        (seen) => seen !== undefined,
        60_000,
      );
    }
    const replay = await until(
      () => replayOf(id),
      (seen) => Boolean(seen?.ended_at),
      isLong ? 1_800_000 : 180_000,
    );
    expect(replay).to.deep.include({ state: 'done', verified: true, error: null });
    expect(killed).to.not.be.empty;
    process.stdout.write(
      `      killed after ${killed.join(', ')}; done after ${replay!.seconds} s, stood still ${replay!.stood_still_seconds} s\n`,
    );
  });

  it('leave every play that was accepted, once', async () => {
    await traffic.stop();
    const all = plays + traffic.sent();
    await until(
      () => pageOf(`${whole}&limit=1`),
      (page) => page.total === all,
      60_000,
    );
    const csv = await (await partner(service.credentials).read(`/coffee/download?${whole}`)).text();
    expect(csv.split('\r\n')).to.have.length(all + 2);
    expect([...complaints, ...watch.complaints]).to.deep.equal([]);
    process.stdout.write(
      `      ${all} plays, ${traffic.repeated()} requests sent again; the newest that was seen is ${newest}; ${JSON.stringify(watch.reads)}\n`,
    );
  });
});
