import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding, findingTitle } from '@popsvc/contracts/diagnostics';
import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import { listShards, nameInShard, type Shard } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, generationTable, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { ConfigError } from '@popsvc/platform/config';
import { findReplay, forgetProjectionSet, planReplay, readGenerations } from '@popsvc/platform/postgres';
import { createMetrics } from '@popsvc/platform/telemetry';
import { registerStoreMetrics } from '@popsvc/projectors/metrics';
import { allProjections } from '@popsvc/projectors/projections';
import { withReaderLock } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { chooseSeed } from '../../support/rounds.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { createTraffic, splitNames } from '../partitions/partitioned.fixture.ts';
import { readTables, readTablesOf } from '../rebuild.fixture.ts';
import { issueToken, type ShardedService, startShardedService } from './sharded.fixture.ts';

const seed = chooseSeed(20_261_126);
const [networks, portions] = [6, 4];
const shards = listShards(2);

/** Lists a repair that removed the events at some positions, as `popsvc log repair` does. */
const writeRepair = async (dataDir: string, removed: readonly number[]) => {
  const repair = {
    repaired_at: '2026-11-23T15:00:00.000Z',
    ranges: removed.map((position) => ({ from: position, to: position + 1 })),
  };
  await mkdir(join(dataDir, 'event-store'));
  const line = JSON.stringify({ ...repair, sha256: hash('sha256', JSON.stringify(repair)) });
  await writeFile(join(dataDir, 'event-store', 'repairs.ndjson'), `${line}\n`);
};
interface Overview {
  readonly counts: Readonly<Record<string, number | null>>;
  readonly problems: readonly Finding[];
}

describe(`two shards of ClickHouse (seed ${seed})`, function () {
  this.timeout(300_000);
  let system: TestSystem;
  let service: ShardedService;
  let traffic: ReturnType<typeof createTraffic>;
  let stop: () => Promise<void> = () => Promise.resolve();
  let url: string;
  let operations: (path: string) => Promise<Response>;
  before(async () => {
    system = await startTestSystem({ of: ['registry', ...splitNames] });
    service = await startShardedService(system);
    traffic = createTraffic(system, networks, seed);
    await traffic.register();
    await traffic.append(0, portions);
    stop = await service.startProjectors(2);
    url = await service.startQueryApi();
  });
  after(async () => {
    await stop();
    await service.close();
    await system.close();
  });

  const appendProbe = () =>
    system.append(probeStream('test'), ProbeEmitted.type, { service: 'test', emittedAt: new Date().toISOString() });
  /** Waits until the live generations of a shard contain all events of the log, and nothing is pending. */
  const waitUntilCaughtUp = async (writer: ClickHouseWriter) => {
    const at = await appendProbe();
    await waitUntil(
      () =>
        writer
          .rows<{ behind: number }>(
            `SELECT toFloat64((SELECT count() FROM pending_live) + ${splitNames.length + 1} - countIf(pos >= ${at})) AS behind
             FROM progress_live WHERE projection IN {names:Array(String)}`,
            { params: { names: ['registry', ...splitNames] } },
          )
          .then(
            ([row]) => row?.behind,
            () => undefined,
          ),
      (behind) => behind === 0,
      120_000,
    );
  };
  const liveGenerationOf = async (name: string) =>
    (await readGenerations(system.postgres)).find(({ projection, state }) => projection === name && state === 'live')!;
  const liveGeneration = async (name: string) => (await liveGenerationOf(name)).generation;
  /** The tables of a split projection must contain, in each shard, the rows of its networks as one server contains them. */
  const expectRowsOfOneServer = async () => {
    await system.project();
    for (const name of splitNames) {
      const whole = await readTables(system, 1, name);
      const ofShards = await Promise.all(
        service.writers.map(async (writer) =>
          readTablesOf(writer, await liveGeneration(nameInShard(name as 'coffee', writer.shard)), name),
        ),
      );
      for (const [table, rows] of Object.entries(whole)) {
        if (table.endsWith('_pending')) continue;
        for (const { index, of } of shards) {
          const own = (rows as { network_id: number | string }[]).filter(
            ({ network_id }) => (Number(network_id) % 10) % of === index,
          );
          expect(ofShards[index]![table], `${table} of shard ${index + 1}`).to.deep.equal(own);
        }
      }
      // Liveness is not part of the traffic.
      if (name !== 'status') expect(Object.values(whole).flat().length, name).to.be.greaterThan(networks);
    }
  };
  const read = async (path: string, headers: Readonly<Record<string, string>>, at = url) => {
    const response = await fetch(`${at}${path}`, { headers });
    const body = (await response.json()) as { data?: { count: number; rows: { id: number }[] } };
    return { status: response.status, data: body.data, asOf: response.headers.get('x-data-as-of') };
  };
  /** The metrics of the stores that are read from ClickHouse. */
  const readMetrics = async () => {
    const metrics = createMetrics('test');
    const { readers, writers } = service;
    const { postgres } = system;
    registerStoreMetrics({ metrics, postgres, readers, writers, owner: '', requireSyncStandby: false, folders: [] });
    return metrics.metrics();
  };
  const window = 'from=2026-10-20T00:00:00Z&to=2026-11-10T00:00:00Z';

  it('contain the rows of their networks, and both the whole registry', async () => {
    await traffic.append(1, portions);
    await traffic.change(1);
    await Promise.all(service.writers.map(waitUntilCaughtUp));
    await expectRowsOfOneServer();
    const { tables } = allProjections.find(({ name }) => name === 'registry')!;
    for (const table of tables) {
      const columns = Object.keys(table.fields).filter((column) => column !== 'version');
      const sql = `SELECT ${columns.join(', ')} FROM ${generationTable(table, 1)} FINAL ORDER BY ALL`;
      const [first, second] = await Promise.all(service.writers.map((writer) => writer.rows(sql)));
      expect(second, table.name).to.deep.equal(first);
      expect(first, table.name).to.deep.equal(await system.writer.rows(sql));
    }
  });

  it('answer a report from the shard of its network, and a list of devices from all shards, by id', async () => {
    for (const { index } of shards) {
      const [expected] = await system.writer.rows<{ network: number; rows: number }>(
        `SELECT toFloat64(network_id) AS network, toFloat64(count()) AS rows FROM coffee_live
         WHERE network_id % 10 % 2 = ${index} AND ts >= '2026-10-20' AND ts < '2026-11-10' GROUP BY network_id ORDER BY rows DESC LIMIT 1`,
      );
      const headers = await issueToken(system, url, [expected!.network]);
      const { status, data } = await read(`/api/v1/coffee?${window}&limit=5000`, headers);
      expect(status).to.equal(200);
      expect(data!.count, `network ${expected!.network}`).to.equal(expected!.rows);
    }
    const all = Array.from({ length: networks }, (_, index) => index + 1);
    const headers = await issueToken(system, url, all);
    const { data, asOf } = await read('/api/v1/devices/status', headers);
    const registered = await system.writer.rows<{ id: number }>(
      'SELECT toFloat64(device_id) AS id FROM registry_devices_live WHERE retired = 0 ORDER BY device_id',
    );
    expect(data!.rows.map(({ id }) => id)).to.deep.equal(registered.map(({ id }) => id));
    expect(asOf).to.be.a('string');
    for (const id of [3, 4]) {
      const one = await read(`/api/v1/devices/status/${id}`, headers);
      expect((one.data as unknown as { id: number }).id).to.equal(id);
      const uptime = await read(`/api/v1/device-apps/${id}/player/uptime?${window}`, headers);
      expect(uptime.status).to.equal(200);
    }
    expect((await read('/api/v1/devices/status/999', headers)).status).to.equal(404);
  });

  it('are replayed one by one, also while the readers of another shard cannot be switched', async () => {
    const name = nameInShard('coffee', shards[1]);
    const { version } = allProjections.find((each) => each.name === 'coffee')!;
    const ended = await withReaderLock(system.postgres, shards[0]!, async () => {
      const planned = await planReplay(system.postgres, { projection: name, version, verify: true });
      return waitUntil(
        () => findReplay(system.postgres, planned!.id),
        (replay) => replay?.endedAt !== null,
        120_000,
      );
    });
    expect(ended).to.include({ state: 'done', error: null });
    expect(await liveGeneration(name)).to.equal(2);
    expect(await liveGeneration(nameInShard('coffee', shards[0]))).to.equal(1);
    await waitUntilCaughtUp(service.writers[1]!);
    await expectRowsOfOneServer();
  });

  const readOperations = async <Body>(path: string) => (await (await operations(path)).json()) as Body;
  const byTitle = (findings: readonly Finding[]) =>
    new Map(findings.map((finding) => [findingTitle(finding), finding]));
  /** Counts the networks and devices of some shards. */
  const countDevices = async (condition: string) => {
    const [row] = await system.writer.rows<{ networks: number; devices: number; seen: number }>(
      `SELECT (SELECT toFloat64(count()) FROM registry_networks_live WHERE ${condition}) AS networks,
         (SELECT toFloat64(count()) FROM registry_devices_live WHERE retired = 0 AND ${condition}) AS devices,
         (SELECT toFloat64(count()) FROM device_liveness_live WHERE kind = 'device' AND ${condition}) AS seen`,
    );
    return { networks: row!.networks, devices: row!.devices, never_seen: row!.devices - row!.seen };
  };

  it('do not depend on each other: one is killed, and the other continues', async () => {
    operations = await service.startOperations();
    const { counts, problems } = await readOperations<Overview>('/ops/v1/overview');
    expect(counts).to.include(await countDevices('1'));
    expect(problems.filter(({ check }) => check === 'clickhouse')).to.deep.equal([]);
    const [ofFirst, ofSecond] = [await issueToken(system, url, [4]), await issueToken(system, url, [3])];
    const ofBoth = await issueToken(system, url, [3, 4]);
    service.second.kill();
    await traffic.append(2, portions);
    await waitUntilCaughtUp(service.writers[0]!);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).to.equal(200);
    expect(await ready.text()).to.include('shard 2 of 2');
    const metrics = await readMetrics();
    expect(metrics)
      .to.match(/^popsvc_clickhouse_rows\{shard="shard 1 of 2",.*\} [1-9]/m)
      .and.not.match(/popsvc_clickhouse_rows\{shard="shard 2 of 2"/);
    expect(metrics)
      .to.match(/^popsvc_freshness_seconds\{projection="coffee@1of2",/m)
      .and.not.match(/^popsvc_freshness_seconds\{projection="coffee@2of2",/m);
    expect(metrics).to.match(/^popsvc_bulk_jobs\{status="queued",.*\} 0$/m);
    const [fourth] = await service.writers[0]!.rows<{ name: string }>(
      'SELECT name FROM registry_networks_live WHERE network_id = 4',
    );
    const named = { ...ofBoth, 'x-network-name': fourth!.name };
    const requests = [
      ['a network of the first', `/api/v1/coffee?${window}`, ofFirst, 200],
      ['a network of the second', `/api/v1/coffee?${window}`, ofSecond, 503],
      ['both, and names that of the first', `/api/v1/coffee?${window}&site_id=4`, named, 200],
      ['both, and names none', `/api/v1/coffee?${window}`, ofBoth, 503],
      ['both, and names that of the first', '/api/v1/devices/status?location_id=4', named, 200],
      ['both', '/api/v1/devices/status', ofBoth, 503],
      ['both', '/api/v1/devices/status/4', ofBoth, 200],
      ['both', '/api/v1/devices/status/3', ofBoth, 503],
      ['both', '/api/v1/devices/status/999', ofBoth, 503],
      ['both, and names that of the first', '/api/v1/devices/status/999', named, 404],
      ['both', '/api/v1/feeders/status/4', ofBoth, 200],
      ['both', '/api/v1/feeders/status/3', ofBoth, 503],
      ['both', `/api/v1/device-apps/4/player/uptime?${window}`, ofBoth, 200],
      ['both', `/api/v1/device-apps/3/player/uptime?${window}`, ofBoth, 503],
    ] as const;
    await Promise.all(
      requests.map(async ([scope, path, headers, expected]) =>
        expect((await read(path, headers)).status, `${path} of a token for ${scope}`).to.equal(expected),
      ),
    );
  });

  it('answer operators while one is away, and name it', async () => {
    const away = 'shard 2 of 2';
    const ready = await waitUntil(
      async () => {
        const response = await operations('/readyz');
        return { status: response.status, text: await response.text() };
      },
      ({ text }) => text.includes('coffee@2of2') && !text.includes('@1of2'),
    );
    expect(ready.status, ready.text).to.equal(200);
    expect(ready.text).to.include('degraded');
    const [doctor, overview, metrics, list] = await Promise.all([
      readOperations<{ findings: readonly Finding[] }>('/ops/v1/doctor'),
      readOperations<Overview>('/ops/v1/overview'),
      operations('/metrics').then((response) => response.text()),
      operations('/ops/v1/devices'),
    ]);
    const found = byTitle(doctor.findings);
    for (const check of [
      'clickhouse',
      'schema',
      'read-models',
      'time-zones',
      'clickhouse-parts',
      'shares',
      'quarantine',
    ]) {
      expect(found.get(`${check} of shard 1 of 2`)?.outcome, check).to.equal('ok');
      expect(found.get(`${check} of ${away}`)?.outcome, check).to.equal(check === 'clickhouse' ? 'failed' : 'skipped');
    }
    expect(found.get(`schema of ${away}`)!.found).to.equal(`not checked: clickhouse of ${away} must answer first`);
    expect(found.get('bulk-jobs')?.outcome).to.equal('ok');

    expect(overview.counts).to.include(await countDevices('network_id % 10 % 2 = 0'));
    expect(byTitle(overview.problems).get(`clickhouse of ${away}`)!.found).to.match(
      /^cannot be reached: .*; the counts lack its networks$/,
    );

    const { host } = new URL(service.second.url);
    for (const line of [
      `popsvc_clickhouse_replica_up\\{.*replica="${host}".*\\} 0`,
      'popsvc_freshness_seconds\\{.*projection="coffee@1of2".*\\} [\\d.]+',
      'popsvc_clickhouse_rows\\{.*\\} [\\d.]+',
      'popsvc_quarantine_events\\{.*\\} 0',
    ])
      expect(metrics).to.match(new RegExp(`^${line}$`, 'm'));

    expect(list.status).to.equal(503);
    expect(await list.text()).to.include(`Not available: ${away}.`);
    expect((await operations('/ops/v1/unknown-references?network=4')).status).to.equal(200);
    const references = await operations('/ops/v1/unknown-references');
    expect(references.status).to.equal(503);
    expect(await references.text()).to.include(`Not available: ${away}.`);
  });

  it('continue when the one that was away is back', async () => {
    const ofSecond = await issueToken(system, url, [3]);
    await service.second.restart();
    await traffic.append(3, portions);
    await Promise.all(service.writers.map(waitUntilCaughtUp));
    expect((await read(`/api/v1/coffee?${window}`, ofSecond)).status).to.equal(200);
    await expectRowsOfOneServer();
    expect((await operations('/ops/v1/unknown-references')).status).to.equal(200);
  });

  it('are filled while other projectors fill a single server', async () => {
    const stopSingle = await service.startSingle(2);
    try {
      await traffic.change(3);
      await Promise.all([...service.writers, system.writer].map(waitUntilCaughtUp));
      const single = await service.startSingleQueryApi();
      // Each set writes its rows at another time.
      const withoutStage = (row: object) => ({ ...row, SILVER_STAGE_TIMESTAMP: undefined });
      let rows = 0;
      for (let network = 1; network <= networks; network += 1) {
        const path = `/api/v1/coffee?${window}&limit=5000`;
        const [ofShards, ofSingle] = await Promise.all(
          [url, single].map(async (at) => (await read(path, await issueToken(system, at, [network]), at)).data!.rows),
        );
        expect(ofShards!.map(withoutStage), `network ${network}`).to.deep.equal(ofSingle!.map(withoutStage));
        rows += ofShards!.length;
      }
      expect(rows).to.be.greaterThan(networks);
      expect(await readMetrics())
        .to.match(/^popsvc_parked_events\{projection="coffee@1of2",/m)
        .and.not.match(/^popsvc_parked_events\{projection="coffee",/m);
      expect(await forgetProjectionSet(system.postgres, 1)).to.deep.equal({ usedBy: ['single'] });
    } finally {
      await stopSingle();
    }
    await expectRowsOfOneServer();
  });

  it('are divided into another number of partitions at a restart', async () => {
    await stop();
    stop = () => Promise.resolve();
    await traffic.change(2);
    await forgetProjectionSet(system.postgres, 1);
    stop = await service.startProjectors(5);
    await Promise.all(service.writers.map(waitUntilCaughtUp));
    await expectRowsOfOneServer();
  });

  it('run as soon as the repairs of the log are recorded for them, also if another shard is away', async () => {
    await stop();
    stop = () => Promise.resolve();
    const dataDir = await temporaryFolder('data');
    const removed = await Promise.all(
      service.writers.map(async (writer) => {
        const [row] = await writer.rows<{ at: number }>(
          'SELECT toFloat64(intDiv(min(pos), 1024)) AS at FROM plays_live',
        );
        return row!.at;
      }),
    );
    await writeRepair(dataDir, removed);
    const { version } = allProjections.find((each) => each.name === 'coffee')!;
    const ofSecond = nameInShard('coffee', shards[1]);
    const planned = await planReplay(system.postgres, { projection: ofSecond, version, verify: false });
    let isAway = true;
    const wrapWriter = (writer: ClickHouseWriter): ClickHouseWriter => ({
      ...writer,
      rows: (query, options) =>
        isAway && writer.shard.index === 1 && query.includes('{highest:UInt64}')
          ? Promise.reject(new Error('the shard is away'))
          : writer.rows(query, options),
    });
    stop = await service.startProjectors(5, { dataDir, wrapWriter });
    await waitUntilCaughtUp(service.writers[0]!);
    const countRepairs = async (shard: Shard) =>
      (await liveGenerationOf(nameInShard('coffee', shard))).lostEvents.length;
    expect(await Promise.all(shards.map(countRepairs))).to.deep.equal([1, 0]);
    // A run would renew its lease. The check for generations to drop, each minute, holds one for a moment.
    const readHeld = () =>
      system.postgres.query("SELECT projection FROM leases WHERE projection LIKE '%@2of2' AND expires_at > now()");
    await waitUntil(readHeld, ({ rows }) => rows.length === 0, 5_000);
    isAway = false;
    await waitUntilCaughtUp(service.writers[1]!);
    expect(await Promise.all(shards.map(countRepairs))).to.deep.equal([1, 1]);
    const replay = await waitUntil(
      () => findReplay(system.postgres, planned!.id),
      (found) => found?.endedAt !== null,
    );
    expect(replay?.state).to.equal('cancelled');
  });

  it('refuse to be listed in another order', async () => {
    const [first] = service.writers;
    const misplaced = openClickHouseWriter({
      url: `${first!.server}${first!.database}`,
      ...first!.credentials,
      shard: shards[1]!,
    });
    const error: unknown = await misplaced.createDatabase().catch((caught: unknown) => caught);
    expect(String(error)).to.match(/is shard 1 of 2, and CLICKHOUSE_URL lists it as shard 2 of 2/);
    await misplaced.close();
    const swapped = await service.startQueryApi([1, 0]);
    const headers = await issueToken(system, swapped, [3]);
    const response = await fetch(`${swapped}/api/v1/coffee?${window}`, { headers });
    expect(response.status).to.equal(503);
    const { error: notReady } = (await (await fetch(`${swapped}/readyz`)).json()) as {
      error: { details: { path: string; message: string }[] };
    };
    expect(notReady.details.find(({ path }) => path === 'clickhouse')?.message).to.match(
      /is shard 2 of 2, and CLICKHOUSE_URL lists it as shard 1 of 2/,
    );
  });

  it('prevent the start of projectors if two of three are listed in another order, and nothing is created in any', async () => {
    const error: unknown = await service.startSwapped().catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(ConfigError);
    const lines = (error as Error).message.split('\n');
    expect(lines).to.have.length(2);
    expect(lines[0]).to.match(
      /_2 on .* is shard 3 of 3, and CLICKHOUSE_URL lists it as shard 2 of 3: list all shards in/,
    );
    expect(lines[1]).to.match(
      /_1 on .* is shard 2 of 3, and CLICKHOUSE_URL lists it as shard 3 of 3: list all shards in/,
    );
    const { database } = service.writers[0]!;
    const created = await service.writers[0]!.rows(
      'SELECT name FROM system.tables WHERE database IN {databases:Array(String)}',
      {
        params: { databases: [0, 1, 2].map((index) => `${database}_${index}`) },
      },
    );
    expect(created).to.deep.equal([]);
    expect(
      (await readGenerations(system.postgres)).filter(({ projection }) => projection.endsWith('of3')),
    ).to.deep.equal([]);
  });
});
