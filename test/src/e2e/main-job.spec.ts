import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { createTestPartner, waitUntil, type Service, startService } from '@popsvc/tools/rig';
import { exampleTests } from '../openapi/examples.suite.ts';
import { analystTests } from './analysts.suite.ts';
import { partnerGuideTests } from './partner-guide.suite.ts';
import { realInputTests } from './real-input.suite.ts';
import { vendorGuideTests } from './vendor-guide.suite.ts';

const minute = 60_000;
const window = (fromMs: number, toMs: number) => ({ from: new Date(fromMs), to: new Date(toMs) });

describe('from a play to a report, with npm start', function () {
  let service: Service;
  /** Webhooks of the guide for partners have a receiver on this machine. */
  const localReceivers = { WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' };
  before(async () => {
    service = await startService({ env: localReceivers });
  });
  after(() => service.stop());

  it('prints each step, and where the operator token is', async () => {
    const { startupOutput, endpoints, dataDir } = service;
    expect(startupOutput).to.include(
      `Starting the engines. Data folder: ${dataDir}\nStarting the services.\npopsvc ready`,
    );
    const secrets = join(dataDir, 'secrets.json');
    expect(startupOutput).to.include(
      `Console: ${endpoints.ops_base_url}. Sign in with the operator token: operatorToken in ${secrets}.`,
    );
    const { operatorToken } = JSON.parse(readFileSync(secrets, 'utf8')) as { operatorToken: string };
    const response = await fetch(`${endpoints.ops_base_url}/ops/v1/networks`, {
      headers: { authorization: `Bearer ${operatorToken}` },
    });
    expect(response.status).to.equal(200);
  });

  it('listens for requests to the bulk worker on one loopback address only', async () => {
    const { port } = new URL(service.endpoints.worker_base_url);
    const isReachable = (host: string) =>
      fetch(`http://${host}:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect(await isReachable('127.0.0.1')).to.equal(true);
    // All of 127.0.0.0/8 is loopback on Linux, so a server on all addresses would answer here.
    expect(await isReachable('127.0.0.2')).to.equal(false);
  });

  it('prints example requests that work', async () => {
    const lines = service.startupOutput.split('\n').filter((line) => line.startsWith('curl'));
    expect(lines).to.have.lengthOf(3);
    const runInShell = (line: string) =>
      execFileSync('bash', ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    expect(runInShell(lines[0]!)).to.include('"eventCount":1');
    const json = await waitUntil(
      () => Promise.resolve(JSON.parse(runInShell(lines[1]!)) as { data: { rows: Record<string, unknown>[] } }),
      ({ data }) => data.rows.some((row) => row['POP_TYPE'] === 'VIEWER'),
    );
    const [row] = json.data.rows;
    expect(Object.keys(row!)).to.deep.equal(coffeeDataset.columns.map(({ name }) => name));
    expect(row).to.include({
      NETWORK_NAME: 'Demo network',
      SITE_NAME: 'Central Station',
      DEVICE_NAME: 'Concourse screen',
      CAMPAIGN_NAME: 'Demo campaign',
      TITLE: 'demo_spot_10s.mp4',
      MEDIA_PLAYER_NAME: 'Demo player',
      WATCH_TIME: 3.5,
      IS_VIEW: 1,
    });
    const [header, first] = parse(runInShell(lines[2]!), { record_delimiter: '\r\n' });
    expect(header).to.deep.equal(coffeeDataset.columns.map(({ name }) => name));
    const inCsv = Object.fromEntries(header!.map((name, index) => [name, first![index]]));
    for (const { name } of coffeeDataset.columns) {
      const value = row![name];
      const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
      expect(inCsv[name], name).to.equal(text);
    }
  });

  it('makes files with credentials readable only for their owner', () => {
    for (const file of ['demo-credentials.json', 'secrets.json'])
      expect(statSync(join(service.dataDir, file)).mode & 0o777, file).to.equal(0o600);
  });

  it('reports a play and its watcher, also in watcher-summary', async () => {
    const { client } = createTestPartner(service.credentials);
    const startMs = Date.parse('2026-08-19T14:00:00Z');
    const at = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString();
    const play = {
      eventId: 'e2e-1',
      screenId: 'demo-screen-1',
      campaignId: 'DEMO-1',
      creativeId: 'DEMO-CR-1',
      playedAt: at(0),
      durationMs: 10_000,
    };
    const detection = {
      detectionId: 'e2e-1',
      deviceId: 31,
      watcherId: 9,
      startedAt: at(2),
      endedAt: at(7),
      watches: [],
    };
    await client.recordPlays([play]);
    await client.recordDetections([detection]);
    const period = window(startMs, startMs + minute);
    const { rows } = await waitUntil(
      () => client.coffeePage(period),
      (seen) => seen.rows.some((row) => row.WATCHERID === 9),
    );
    expect(rows).to.have.lengthOf(1);
    const observed = await waitUntil(
      () => client.watcherSummaryPage(period),
      (seen) => seen.count === 1,
    );
    expect(observed.rows[0]).to.include({
      WATCHERID: 9,
      IS_WATCHER: 0,
      DURATION: 5,
      DEVICE_NAME: 'Concourse screen',
      CAMERA_NAME: null,
    });
  });

  it('records that a device went online at its first heartbeat', async () => {
    const { client } = createTestPartner(service.credentials);
    await client.recordHeartbeats([{ deviceId: 31, at: new Date().toISOString() }]);
    const counted = async () => (await fetch(`${service.credentials.ops_base_url}/metrics`)).text();
    await waitUntil(counted, (text) => /popsvc_liveness_changes_total\{status="online"[^}]*\} 1\n/.test(text));
  });

  it('pages 2,001 watchers of one play in both directions without loss or repetition', async () => {
    const { client } = createTestPartner(service.credentials);
    const startMs = Date.parse('2026-08-18T14:00:00Z');
    const at = (ms: number) => new Date(startMs + ms).toISOString();
    const play = {
      eventId: 'many-watchers',
      screenId: 'demo-screen-1',
      campaignId: 'DEMO-1',
      creativeId: 'DEMO-CR-1',
      playedAt: at(0),
      durationMs: 10_000,
    };
    await client.recordPlays([play]);
    const watchers = Array.from({ length: 2_001 }, (_, index) => index);
    for (let from = 0; from < watchers.length; from += 1_000) {
      const detections = watchers.slice(from, from + 1_000).map((watcherId) => ({
        detectionId: `many-watchers-${watcherId}`,
        deviceId: 31,
        watcherId,
        startedAt: at(1_000),
        endedAt: at(2_000 + watcherId),
        watches: [],
      }));
      expect(await client.recordDetections(detections)).to.include({ eventCount: detections.length });
    }
    const period = window(startMs, startMs + minute);
    await waitUntil(
      () => client.coffeePage({ ...period, limit: 1 }),
      ({ total }) => total === 2_001,
    );
    for (const sort of ['asc', 'desc'] as const) {
      const seen: unknown[] = [];
      const counts: number[] = [];
      for (let after: string | undefined, more = true; more;) {
        const { rows, count, next_after } = await client.coffeePage({ ...period, limit: 1_000, sort, after });
        seen.push(...rows.map((row) => row.WATCHERID));
        counts.push(count);
        after = next_after ?? undefined;
        more = after !== undefined;
      }
      expect(counts, sort).to.deep.equal([...Array<number>(2).fill(1_000), 1]);
      expect(new Set(seen).size, sort).to.equal(2_001);
    }
  });

  const runningService = () => service;
  const analysts = analystTests(runningService);
  analysts.beforeRestart();

  it('stops cleanly and starts again on the same data', async () => {
    const { dataDir, credentials } = service;
    expect(await service.stop()).to.equal(0);
    service = await startService({ dataDir, env: localReceivers });
    expect(service.credentials.api_key).to.equal(credentials.api_key);
    const { client } = createTestPartner(service.credentials);
    const startMs = Date.parse('2026-08-19T14:00:00Z');
    expect((await client.coffeePage(window(startMs, startMs + minute))).total).to.equal(1);
  });

  analysts.afterRestart();

  it('names the variable that changes a port in use', async () => {
    const port = new URL(service.credentials.query_base_url).port;
    const refused = await startService({ env: { QUERY_API_PORT: port } }).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(refused).to.include(`port ${port} is already in use`).and.include('QUERY_API_PORT');
  });

  it('names all invalid variables at once', async () => {
    const env = { QUERY_API_PORT: 'eighty', DATABASE_URL: 'postgres://somewhere/db', CLICKHOUSE_URL: 'ftp://x' };
    const refused = await startService({ env }).then(
      () => '',
      (error: unknown) => String(error),
    );
    for (const name of ['QUERY_API_PORT', 'CLICKHOUSE_URL']) expect(refused).to.include(name);
  });

  // The guide for partners reads the events of the guide for vendors.
  vendorGuideTests(runningService);
  partnerGuideTests(runningService);
  exampleTests(runningService);
  realInputTests(runningService);
});
