import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { formatTable } from '@popsvc/cli/output';
import { createConnect, waitUntilProjected } from '@popsvc/cli/service-client';
import { createClient } from '@popsvc/client';
import type { Finding } from '@popsvc/contracts/diagnostics';
import { createPopsvcCommand, createTestPartner, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { services, stores } from '../architecture/compose.fixture.ts';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import {
  containers,
  findOpenPorts,
  type Installation,
  loginJob,
  outerAddress,
  prepareInstallation,
} from './installation.fixture.ts';

const simulator = fileURLToPath(new URL('../../../tools/dist/simulator/main.js', import.meta.url));
const versions = ['0.0.0-compose.1', '0.0.0-compose.2'] as const;

/** Ports by the address that Docker listens on. */
const published = { '0.0.0.0': [8080, 8081], '127.0.0.1': [8082, 8123] };
/** Ports that the engines, and tools of theirs, have besides. */
const innerPorts = [1113, 2113, 3000, 4222, 5432, 6222, 8083, 8222, 9000, 9009, 9090];
const allPorts = [...Object.values(published).flat(), ...innerPorts];

/** The kill test's traffic lasts longer than all kills. How long a container stays away, in ms. */
const [rate, awayMs] = [650, 5_000];
const simulated = { networks: '2', devices: '24', seed: '7' };
const networkIds = [100, 101];

interface Simulation {
  readonly seconds: number;
  readonly sent: readonly Readonly<Record<string, number>>[];
  readonly verified: readonly Readonly<Record<string, unknown>>[];
}

describe('docker-compose.yml', function () {
  this.timeout(1_800_000);
  // Each test needs what the one before has left.
  this.bail(true);

  const figures: { readonly what: string; readonly result: string }[] = [];
  const note = (what: string, result: string) => void figures.push({ what, result });
  let installation: Installation;
  /** Ports of this machine that others use. */
  let foreignPorts: ReadonlyMap<string, readonly number[]>;
  let apiKey: string;
  let networkNames: readonly string[];
  let credentials: { readonly clientId: string; readonly clientSecret: string };
  const hosts = ['127.0.0.1', outerAddress()];

  before(async () => {
    foreignPorts = new Map(
      await Promise.all(hosts.map(async (host) => [host, await findOpenPorts(host, allPorts)] as const)),
    );
    for (const [host, ports] of foreignPorts)
      expect(
        ports.filter((port) => Object.values(published).flat().includes(port)),
        host,
      ).to.deep.equal([]);
    const began = performance.now();
    installation = await prepareInstallation(versions[0], versions);
    note('images of the project built', `${Math.round((performance.now() - began) / 1000)} s`);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') process.stdout.write(`${await installation.describe()}\n`);
  });
  after(async () => {
    process.stdout.write(`\n${formatTable(figures, ['what', 'result'], '')}\n`);
    await installation.remove(versions);
  });

  const popsvc = async (...args: readonly string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await createPopsvcCommand(installation.addresses)(...args, '--json');
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  };
  const createOps = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const { POPSVC_OPS_URL, POPSVC_OPERATOR_TOKEN } = installation.addresses;
    const response = await fetch(`${POPSVC_OPS_URL}/ops/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${POPSVC_OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.clone().text()).to.be.within(200, 201);
    return (await response.json()) as Record<string, string>;
  };
  const partner = () =>
    createTestPartner({
      query_base_url: installation.addresses.POPSVC_QUERY_URL,
      ingest_base_url: installation.addresses.POPSVC_INGEST_URL,
      api_key: apiKey,
    });
  const vendor = () => createClient({ ingestUrl: installation.addresses.POPSVC_INGEST_URL, apiKey });
  const pushPlay = async () => {
    const play = {
      eventId: 'compose-1',
      screenId: 'screen-1',
      campaignId: 'C-100',
      creativeId: 'CR-1',
      playedAt: '2026-03-29T12:00:00.000Z',
      durationMs: 10_000,
    };
    const response = await partner().push('/pop/events', { events: [play] });
    expect(response.status, await response.clone().text()).to.equal(202);
  };

  const simulate = async (until: string, perSecond: number): Promise<Simulation> => {
    const options = { ...simulated, days: '1', until, rate: String(perSecond) };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const { stdout } = await promisify(execFile)(process.execPath, [simulator, ...args, '--verify', '--json'], {
      env: { PATH: process.env['PATH'], DATA_DIR: '/nowhere', ...installation.addresses },
      maxBuffer: 1e8,
    });
    return JSON.parse(stdout) as Simulation;
  };
  /** Checks that every play is in the reports once, and resolves with the number of plays. */
  const countVerified = ({ sent, verified }: Simulation): number => {
    expect(verified).to.have.length(networkIds.length);
    for (const [index, report] of verified.entries())
      expect(report).to.include({ found: sent[index]!['plays'], missing: 0, unexpected: 0, repeated: 0, ok: true });
    return sent.reduce((sum, { plays }) => sum + plays!, 0);
  };

  const waitForProjections = async () => {
    const { ops } = await createConnect(installation.addresses)();
    await waitUntilProjected(ops, ['registry', 'coffee', 'watcher-summary', 'uptime'], () => undefined);
  };
  /** The rows of the reports of a day, of all networks, without the time at which they were derived. */
  const readReports = async (): Promise<readonly string[]> => {
    const client = createClient({ baseUrl: installation.addresses.POPSVC_QUERY_URL, ...credentials });
    const window = { from: '2026-03-29T00:00:00Z', to: '2026-03-30T00:00:00Z' };
    const rows: string[] = [];
    for (const network of networkNames) {
      const { body } = await client.streamCoffee({ network, ...window });
      const [columns, ...values]: string[][] = parse(await text(body));
      const derivedAt = columns!.indexOf('SILVER_STAGE_TIMESTAMP');
      for (const row of values) rows.push(JSON.stringify([network, ...row.toSpliced(derivedAt, 1)]));
    }
    return rows.sort();
  };
  const expectSameReports = (found: readonly string[], before: readonly string[]) => {
    const [now, earlier] = [new Set(found), new Set(before)];
    const [gone, added] = [before.filter((row) => !now.has(row)), found.filter((row) => !earlier.has(row))];
    const examples = [...gone.slice(0, 3), ...added.slice(0, 3)].join('\n');
    expect([gone.length, added.length, found.length], examples).to.deep.equal([0, 0, before.length]);
  };
  const readBalance = async () =>
    ((await popsvc('events', 'balance', '--network', '1')) as { sum: Readonly<Record<string, number>> }).sum;
  const readContents = async () => ({
    reports: await readReports(),
    received: await readBalance(),
    registry: await popsvc('registry', 'export'),
    logins: [await popsvc('clients', 'list'), await popsvc('api-keys', 'list')],
  });
  type Contents = Awaited<ReturnType<typeof readContents>>;
  const expectSame = ({ reports, ...others }: Contents, before: Contents) => {
    expectSameReports(reports, before.reports);
    for (const [name, value] of Object.entries(others))
      expect(value, name).to.deep.equal(before[name as keyof typeof others]);
  };
  const expectHealthyDoctor = async () => {
    const { findings } = await waitUntil(
      async () =>
        JSON.parse((await createPopsvcCommand(installation.addresses)('doctor', '--json')).stdout) as {
          findings: readonly Finding[];
        },
      (answer) => answer.findings.every(({ outcome }) => outcome !== 'failed'),
      60_000,
      1_000,
    );
    return findings.filter(({ outcome }) => outcome === 'ok').length;
  };

  it('starts on empty volumes: all containers become healthy, and the login of the services is created', async () => {
    note('up with empty volumes, until all are healthy', `${await installation.up()} s`);
    const { State: job } = await installation.inspect(loginJob);
    expect([job.Status, job.ExitCode]).to.deep.equal(['exited', 0]);
    const restarts = (await installation.inspectAll()).map(({ RestartCount }) => RestartCount);
    expect(restarts).to.deep.equal(containers.map(() => 0));
    note('checks of doctor without a problem', String(await expectHealthyDoctor()));
  });

  it('publishes the ports of the APIs, two more on loopback, and no other', async () => {
    const mapped = (await installation.inspectAll()).flatMap(({ NetworkSettings: { Ports } }) =>
      Object.entries(Ports).flatMap(([inner, outer]) =>
        (outer ?? []).map(({ HostIp, HostPort }) => `${HostIp}:${HostPort} ${inner}`),
      ),
    );
    expect(mapped.filter((port) => !port.startsWith('::'))).to.have.members([
      '0.0.0.0:8080 8080/tcp',
      '0.0.0.0:8081 8081/tcp',
      '127.0.0.1:8082 8082/tcp',
      '127.0.0.1:8123 8123/tcp',
    ]);
    const inner = await installation.readInnerPorts();
    expect(inner).to.include.members([2113, 4222, 5432, 8080, 8081, 8082, 8083, 8123]);
    const scanned = [...new Set([...allPorts, ...inner])];
    const [loopback, outer] = await Promise.all(
      hosts.map(async (host) =>
        (await findOpenPorts(host, scanned)).filter((port) => !foreignPorts.get(host)!.includes(port)),
      ),
    );
    expect(loopback).to.have.members([...published['0.0.0.0'], ...published['127.0.0.1']]);
    expect(outer).to.have.members(published['0.0.0.0']);
    note('ports open on this machine', `${outer!.join(', ')}; on loopback also ${published['127.0.0.1'].join(', ')}`);
    note('ports that listen in containers only', inner.filter((port) => !loopback!.includes(port)).join(', '));
  });

  it('lets analysts of this machine in at port 8123 with their password only', async () => {
    const query = async (password: string) =>
      (
        await fetch('http://127.0.0.1:8123/?query=SELECT%20currentUser()', {
          headers: { 'X-ClickHouse-User': 'analyst', 'X-ClickHouse-Key': password },
        })
      ).text();
    expect(await query(installation.secret('CLICKHOUSE_ANALYST_PASSWORD'))).to.equal('analyst\n');
    expect(await query('wrong')).to.include('AUTHENTICATION_FAILED');
  });

  it('lets a service reach only the engines that it uses, and an engine no other host', async () => {
    const reaches = (from: string, url: string): Promise<boolean> =>
      // Any reply counts, also one that is not HTTP; 6, 7 and 28 are an unknown name, a refused connection and a timeout.
      installation
        .execute(from, 'sh', '-c', `curl --silent --insecure --max-time 5 --output /dev/null ${url}; echo $?`)
        .then((code) => !['6', '7', '28'].includes(code.trim()));
    const addresses = [
      ['eventstore', 'https://eventstore:2113/health/live'],
      ['clickhouse', 'http://clickhouse:8123/ping'],
      ['nats', 'http://nats:4222'],
      ['postgres', 'http://postgres:5432'],
      ['other hosts', 'http://deb.debian.org'],
    ] as const;
    const reached: Record<string, readonly string[]> = {};
    for (const from of containers) {
      const targets = addresses.filter(([name]) => name !== from);
      const results = await Promise.all(targets.map(async ([name, url]) => [name, await reaches(from, url)] as const));
      reached[from] = results.filter(([, isReached]) => isReached).map(([name]) => name);
    }
    const engines = Object.fromEntries(stores.map((name) => [name, reached[name]!.includes('other hosts')]));
    expect(engines).to.deep.equal({ eventstore: false, clickhouse: false, nats: false, postgres: false });
    expect(Object.fromEntries(services.map((name) => [name, reached[name]]))).to.deep.equal({
      'command-api': ['eventstore', 'postgres', 'other hosts'],
      worker: ['eventstore', 'postgres', 'other hosts'],
      projectors: ['eventstore', 'clickhouse', 'nats', 'postgres', 'other hosts'],
      'query-api': ['clickhouse', 'postgres', 'other hosts'],
    });
  });

  it('reports each play once while every container is killed and started in turn', async () => {
    const traffic = { isOver: false };
    const result = simulate('2026-03-30', rate).finally(() => (traffic.isOver = true));
    const kills: string[] = [];
    let longestSeconds = 0;
    const killInTurn = async () => {
      await sleep(awayMs);
      for (const name of containers) {
        if (traffic.isOver) return;
        await installation.kill(name);
        kills.push(name);
        await sleep(awayMs);
        // Docker restarts a container that crashed, and not one that was killed by its client.
        expect((await installation.inspect(name)).State.Status, name).to.equal('exited');
        await installation.start(name);
        longestSeconds = Math.max(longestSeconds, await installation.waitUntilHealthy());
      }
    };
    const [simulation] = await Promise.all([result, killInTurn()]);
    const plays = countVerified(simulation);
    expect(kills).to.deep.equal(containers);
    note('plays sent while containers were killed', `${plays} in ${simulation.seconds} s: 0 missing, 0 twice`);
    note('killed and started during the traffic', kills.join(', '));
    note('after a start, until all are healthy', `at most ${longestSeconds} s`);
    await expectHealthyDoctor();
  });

  it('restarts all processes by itself when they crash at once, and keeps what was acknowledged', async () => {
    await createOps('registry', smallRegistry);
    apiKey = (await createOps('api-keys', { network: 1, vendor: 'acme' }))['api_key']!;
    const created = await createOps('clients', { networks: [1, ...networkIds] });
    credentials = { clientId: created['client_id']!, clientSecret: created['client_secret']! };
    const registry = (await popsvc('registry', 'export')) as { networks: readonly { id: number; name: string }[] };
    networkNames = registry.networks.map(({ name }) => name);
    expect(networkNames).to.have.length(1 + networkIds.length);
    await pushPlay();
    await waitUntil(
      () => readReports(),
      (rows) => networkNames.every((name) => rows.some((row) => row.startsWith(`["${name}"`))),
    );
    await waitForProjections();
    const before = await readContents();
    const states = await installation.inspectAll();
    for (const { State } of states) process.kill(State.Pid, 'SIGKILL');
    await waitUntil(
      () => installation.inspectAll(),
      (now) =>
        now.every(({ State: { Pid, Status } }, index) => Status === 'running' && Pid !== states[index]!.State.Pid),
    );
    note('all processes crash at once, until all are healthy', `${await installation.waitUntilHealthy()} s`);
    expectSame(await readContents(), before);
  });

  it('keeps data and logins when all containers are removed and created again', async () => {
    const path = join(installation.folder, '../plays.ndjson');
    writeFileSync(path, '{"a":1}\n{"a":2}\n');
    const fileId = await vendor().uploadFile(path, { format: 'ndjson' });
    await waitForProjections();
    const before = await readContents();
    await installation.compose('down');
    expect(
      (await installation.docker('volume', 'ls', '--quiet')).includes('popsvc-compose-test_eventstore-data'),
    ).to.equal(true);
    note('down, and up with the data, until all are healthy', `${await installation.up()} s`);
    expectSame(await readContents(), before);
    // The API key, the same play again, and a file that was uploaded before.
    await pushPlay();
    const job = await vendor().waitForJob(await vendor().startIngest(fileId, { schemaVersion: 'flat-1' }));
    expect(job.status).to.equal('completed');
    await waitUntil(readBalance, ({ duplicate }) => duplicate === 1);
    expectSameReports(await readReports(), before.reports);
    note('report rows compared by content', String(before.reports.length));
  });

  it('has the same data and logins after a backup and a restore on empty volumes, as in the guide', async () => {
    const commands = (language: string) => blocksOf('docs/guides/operators/repair.md', language).join('\n');
    await waitForProjections();
    const before = await readContents();
    await installation.shell(commands('sh compose-backup'));
    await installation.waitUntilHealthy();
    await installation.shell('docker compose down --volumes && rm -rf .env certificates');
    const began = performance.now();
    await installation.shell(commands('sh compose-restore'));
    // Reports answer 503 until replays have built them from the log.
    const restored = await waitUntil(
      () => readContents().catch(() => undefined),
      (now) => now?.reports.length === before.reports.length && isDeepStrictEqual(now.received, before.received),
      600_000,
      2_000,
    );
    note('restore of a backup, until the reports are complete', `${Math.round((performance.now() - began) / 1000)} s`);
    expectSame(restored!, before);
    await installation.waitUntilHealthy();
  });

  it('replaces the images by those of another version under traffic, with the same data', async () => {
    await waitForProjections();
    const before = await readReports();
    const engines = async () => Promise.all(stores.map(async (name) => (await installation.inspect(name)).Id));
    const enginesBefore = await engines();
    await installation.buildImages(versions[1]);
    const traffic = { isOver: false };
    const result = simulate('2026-04-02', 1_200).finally(() => (traffic.isOver = true));
    await sleep(awayMs);
    const began = performance.now();
    // In the order of the operators' guide: the projectors know all new events before another service writes one.
    await installation.compose('up', '--detach', '--no-build', '--wait', 'projectors');
    await installation.up();
    const seconds = Math.round((performance.now() - began) / 1000);
    expect(traffic.isOver, 'the traffic ended before the upgrade').to.equal(false);
    const plays = countVerified(await result);
    note('upgrade of the images, until all are healthy', `${seconds} s, with ${plays} plays: 0 missing, 0 twice`);
    const images = await Promise.all(
      [loginJob, ...services].map(async (name) => (await installation.inspect(name)).Config.Image),
    );
    expect(images).to.have.length(5);
    expect(images.filter((image) => !image.endsWith(`:${versions[1]}`))).to.deep.equal([]);
    const { POPSVC_QUERY_URL, POPSVC_INGEST_URL, POPSVC_OPS_URL } = installation.addresses;
    for (const url of [POPSVC_QUERY_URL, POPSVC_INGEST_URL, POPSVC_OPS_URL])
      expect(await (await fetch(`${url}/healthz`)).json(), url).to.include({ version: versions[1] });
    expect(await engines()).to.deep.equal(enginesBefore);
    expectSameReports(await readReports(), before);
    await expectHealthyDoctor();
  });

  it('removes containers, networks and volumes, and closes the ports', async () => {
    expect(await installation.listParts()).to.have.length.greaterThan(20);
    await installation.compose('down', '--volumes');
    expect(await installation.listParts()).to.deep.equal([]);
    for (const host of hosts) expect(await findOpenPorts(host, allPorts), host).to.deep.equal(foreignPorts.get(host));
  });
});
