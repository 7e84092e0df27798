import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { popsvcWith } from '../operator/popsvc.fixture.ts';
import { partner, until } from '../support/partner.ts';
import { type Service, startService } from '../support/service.ts';
import { watchfulReaders } from './watchful-readers.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const plays = isLong ? 1_000_000 : 1_000;
const perSecond = isLong ? 200 : 50;
const projections = ['coffee', ...(isLong ? ['status', 'registry', 'watcher-summary', 'uptime', 'jobs'] : [])];

const startMs = Date.parse('2026-08-01T00:00:00Z');
const window = 'from=2026-08-01T00:00:00Z&to=2026-09-01T00:00:00Z';
/** What readers page through again and again: the plays that come meanwhile, at the end of the month. */
const late = 'from=2026-08-20T00:00:00Z&to=2026-09-01T00:00:00Z';
const lateMs = Date.parse('2026-08-20T00:00:00Z');

const playsOf = (prefix: string, first: number, count: number, fromMs: number) =>
  Array.from({ length: count }, (_, index) => ({
    eventId: `${prefix}-${first + index}`,
    screenId: 'demo-screen-1',
    campaignId: 'DEMO-1',
    creativeId: 'DEMO-CR-1',
    playedAt: new Date(fromMs + (first + index) * 1_000).toISOString(),
    durationMs: 900,
  }));

describe(`replays under traffic, over the whole service (${plays} plays)`, function () {
  this.timeout(isLong ? 3_600_000 : 300_000);
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const totalOf = async (asked: string) => {
    const answer = await partner(service.credentials).read(`/coffee?${asked}&limit=1`);
    return ((await answer.json()) as { data: { total: number } }).data.total;
  };

  it('are seen by nobody who reads', async () => {
    const { push, read } = partner(service.credentials);
    for (let first = 0; first < plays; first += 1_000) {
      const answer = await push('/pop/events', { events: playsOf('old', first, 1_000, startMs) });
      expect(answer.status, await answer.text()).to.equal(202);
    }
    await until(
      () => totalOf(window),
      (total) => total === plays,
      isLong ? 1_800_000 : 60_000,
    );

    const popsvc = popsvcWith({ DATA_DIR: service.dataDir });
    let [sent, isOver] = [0, false];
    const slowest: number[] = [];
    const traffic = (async () => {
      while (!isOver) {
        const began = performance.now();
        const answer = await push('/pop/events', { events: playsOf('new', sent, perSecond / 10, lateMs) });
        expect(answer.status).to.equal(202);
        slowest.push(performance.now() - began);
        sent += perSecond / 10;
        await sleep(Math.max(0, 100 - (performance.now() - began)));
      }
    })();
    const watch = watchfulReaders(partner(service.credentials), late, isLong ? 20 : 500);
    try {
      for (const name of projections) {
        const { code, stdout, stderr } = await popsvc('projections', 'replay', name, '--verify', '--json');
        expect(code, stderr).to.equal(0);
        const told = JSON.parse(stdout) as Record<string, unknown>;
        expect(told).to.have.all.keys('name', 'from_generation', 'to_generation', 'events', 'seconds', 'verified');
        expect(told).to.deep.include({ name, from_generation: 1, to_generation: 2, verified: true });
        process.stdout.write(`      ${name}: ${stderr.trim().split('\n').at(-1)} ${stdout.replaceAll(/\s+/g, ' ')}\n`);
      }
      const back = await popsvc('projections', 'rollback', 'coffee');
      expect([back.code, back.stdout], back.stderr).to.deep.include(0);
      process.stdout.write(`      ${back.stdout}`);
    } finally {
      isOver = true;
      await traffic;
      await watch.stop();
    }
    expect(watch.complaints).to.deep.equal([]);
    expect(watch.reads).to.have.all.keys('totals', 'pages', 'downloads', 'statuses');
    await until(
      () => totalOf(window),
      (total) => total === plays + sent,
      60_000,
    );
    const csv = await (await read(`/coffee/download?${window}`)).text();
    expect(csv.split('\r\n')).to.have.length(plays + sent + 2);
    slowest.sort((a, b) => a - b);
    const p99 = slowest[Math.floor(slowest.length * 0.99)] ?? 0;
    process.stdout.write(
      `      ${sent} plays came meanwhile, p99 ${p99.toFixed(0)} ms; reads ${JSON.stringify(watch.reads)}\n`,
    );
  });

  it('are listed, and refused in plain words', async () => {
    const popsvc = popsvcWith({ DATA_DIR: service.dataDir });
    const list = await popsvc('projections', 'list', '--json');
    const told = JSON.parse(list.stdout) as { name: string; generation: number; outdated: boolean }[];
    expect(told.find(({ name }) => name === 'coffee')).to.include({ generation: 1, outdated: false });
    expect(told.find(({ name }) => name === 'status')).to.include({ generation: isLong ? 2 : 1 });
    const unknown = await popsvc('projections', 'replay', 'tea');
    expect([unknown.code, unknown.stdout]).to.deep.equal([1, '']);
    expect(unknown.stderr).to.include('coffee, watcher-summary');
    const noNeed = await popsvc('projections', 'replay', 'coffee', '--from-version', '0', '--json');
    expect(noNeed.code).to.equal(0);
    expect(JSON.parse(noNeed.stdout)).to.include({ from_generation: 1, to_generation: 1, events: 0 });
    const nothing = await popsvc('projections', 'cancel', 'coffee');
    expect([nothing.code, nothing.stderr]).to.deep.equal([1, 'popsvc: There is no replay of coffee to cancel.\n']);
  });

  it('are cancelled', async () => {
    const popsvc = popsvcWith({ DATA_DIR: service.dataDir });
    const asked = await popsvc('projections', 'replay', 'coffee', '--no-wait', '--json');
    expect(JSON.parse(asked.stdout)).to.include({ name: 'coffee', from_generation: 1, to_generation: 3 });
    const again = await popsvc('projections', 'replay', 'coffee');
    expect([again.code, again.stderr.includes('already')]).to.deep.equal([1, true]);
    const cancelled = await popsvc('projections', 'cancel', 'coffee');
    expect([cancelled.code, cancelled.stdout], cancelled.stderr).to.deep.equal([
      0,
      'The replay of coffee is cancelled.\n',
    ]);
  });
});
