import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPopsvcCommand, type Service, startService } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { waitUntilProjected } from '../faults/damaged-installation.fixture.ts';
import { datasets } from '../query-api/changing-report.fixture.ts';
import { Follower, type Get, inFiles, inPages, type Row, sortRows } from '../query-api/follower.fixture.ts';
import { chooseRounds, chooseSeed } from '../support/rounds.ts';
import { servicePortsOf } from './start-and-stop.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const days = chooseRounds(3, 31);
const seed = chooseSeed(20_261_129);
const simulator = fileURLToPath(new URL('../../../tools/dist/simulator/main.js', import.meta.url));
const firstMs = Date.parse('2026-03-01T00:00:00Z');
const dayOf = (index: number) => new Date(firstMs + index * 86_400_000).toISOString().slice(0, 10);

describe(`copies of reports that follow their changes (${days} days, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 300_000);
  let service: Service;
  let key: string;
  before(async () => {
    service = await startService();
    // Registers the network.
    await simulate(0);
    ({ api_key: key } = (await popsvc('api-keys', 'create', '--vendor', 'sim100a', '--network', '100')) as {
      api_key: string;
    });
  });
  after(() => service.stop());

  const popsvc = async (...args: string[]) => {
    const { code, stdout, stderr } = await createPopsvcCommand({ DATA_DIR: service.dataDir })(...args, '--json');
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  };
  const simulate = (day: number) =>
    promisify(execFile)(
      process.execPath,
      [
        simulator,
        ...`--networks 1 --devices 1 --seed ${seed + day} --until ${dayOf(day + 1)} --no-wait --json`.split(' '),
      ],
      { env: { ...process.env, DATA_DIR: service.dataDir } },
    );
  const get: Get = async (dataset, path, query = '') => {
    const headers = { 'x-api-key': key };
    const request = () => fetch(`${service.credentials.query_base_url}/api/v1/${dataset}${path}?${query}`, { headers });
    // The server closes idle connections while a comparison blocks this process.
    const response = await request().catch(request);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const spent = { changes: 0, downloads: 0 };
  const timed = async <T>(what: keyof typeof spent, read: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const found = await read();
    spent[what] += performance.now() - began;
    return found;
  };
  const download = async (dataset: (typeof datasets)[number]) => {
    const { status, text } = await get(
      dataset,
      '/download',
      `from=${dayOf(0)}T00:00:00Z&to=${dayOf(31)}T00:00:00Z&format=ndjson`,
    );
    expect(status, text.slice(0, 1_000)).to.equal(200);
    return text.split('\n').filter(Boolean);
  };
  /** Reads changes until it is stopped, also while the service is killed and starts again. */
  const startPolling = (follower: Follower) => {
    let isOver = false;
    const poll = async () => {
      while (!isOver) {
        await timed('changes', () => follower.poll()).catch((error: unknown) => {
          // A request that fails is repeated, as a reader would do. Wrong responses show in the comparison.
          if (error instanceof TypeError || /503/.test(String(error))) return;
          throw error;
        });
        await sleep(100);
      }
    };
    const polling = poll();
    polling.catch(() => undefined);
    return {
      async stop() {
        isOver = true;
        await polling;
      },
    };
  };
  /** Reads the changes until the copy equals the report, because query-api reads the progress four times a second. */
  const expectSame = async (dataset: (typeof datasets)[number], follower: Follower) => {
    const until = performance.now() + 60_000;
    for (;;) {
      await timed('changes', () => follower.poll());
      const lines = await timed('downloads', () => download(dataset));
      const [expected, found] = [lines.map((line) => JSON.parse(line) as Row), follower.rows.values()].map(sortRows);
      if (found!.length === expected!.length && found!.every((row, index) => row === expected![index]))
        return expected!.length;
      if (performance.now() < until) continue;
      const copied = new Set(found);
      const missing = expected!.filter((row) => !copied.has(row));
      expect.fail(`${dataset}: ${missing.length} of ${expected!.length} rows are missing, such as ${missing[0]}`);
    }
  };

  it('equal the reports after each day, through kills and replays', async () => {
    const followers = datasets.flatMap((dataset) => [
      { dataset, follower: new Follower(inPages(get, dataset, 'limit=1000')) },
      { dataset, follower: new Follower(inFiles(get, dataset, 'format=ndjson')) },
    ]);
    const compared = { rows: 0, kills: 0 };
    for (let day = 0; day < days; day += 1) {
      const polls = followers.map(({ follower }) => startPolling(follower));
      await simulate(day);
      if (day % 3 === 1) {
        await service.kill9();
        service = await startService({ dataDir: service.dataDir, env: servicePortsOf(service) });
        compared.kills += 1;
      }
      await waitUntilProjected(service.credentials);
      for (const each of polls) await each.stop();
      if (day === Math.floor(days / 2))
        for (const dataset of datasets)
          expect(await popsvc('projections', 'replay', dataset, '--verify')).to.include({ verified: true });
      for (const { dataset, follower } of followers) {
        const rows = await expectSame(dataset, follower);
        expect(rows).to.be.greaterThan(100);
        compared.rows += rows;
      }
    }
    const changes = followers.map(({ follower }) => follower.changes).join(', ');
    process.stdout.write(
      `      ${compared.rows} rows compared in ${days * followers.length} reports, ${compared.kills} kills; changes: ${changes}; ` +
        `${Math.round(spent.changes)} ms to read changes, ${Math.round(spent.downloads)} ms to download reports\n`,
    );
  });
});
