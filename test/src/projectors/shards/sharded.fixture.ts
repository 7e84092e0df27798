import { randomBytes } from 'node:crypto';
import { listShards, onlyShard } from '@popsvc/domain/partitioning';
import { startRevocationWatch } from '@popsvc/http-kit/auth';
import { createClient } from '@popsvc/http-kit/auth/tokens';
import { Secret } from '@popsvc/platform/config';
import {
  type ClickHouseWriter,
  openClickHouseReader,
  openClickHouseWriter,
  type ShardReader,
} from '@popsvc/platform/clickhouse';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { createOpsServer, type OpsServerDependencies } from '@popsvc/ops-api/server';
import { registerStoreMetrics } from '@popsvc/projectors/metrics';
import { allProjections } from '@popsvc/projectors/projections';
import { createProjectors } from '@popsvc/projectors/service';
import { createQueryApi } from '@popsvc/query-api/service';
import { projectionInShard, isReplicaReady } from '@popsvc/read-models/generations';
import { type KillableClickHouse, killableClickHouse, sharedClickHouse } from '../../support/engines.ts';
import type { TestSystem } from '../../support/test-system.ts';
import { secretSealer } from '../../support/test-sealer.ts';

const log = createLog('test', 'silent');

interface StartOptions {
  /** Folder with the list of repairs of the log. */
  readonly dataDir?: string;
  /** Changes the writer of each shard. */
  readonly wrapWriter?: (writer: ClickHouseWriter) => ClickHouseWriter;
}

/** Projectors and query-api on two ClickHouse servers, each of which is a shard. */
export interface ShardedService {
  /** A writer for each shard. */
  readonly writers: readonly ClickHouseWriter[];
  /** A reader for each shard. */
  readonly readers: readonly ShardReader[];
  /** The server of the second shard. */
  readonly second: KillableClickHouse;
  startProjectors(partitions: number, options?: StartOptions): Promise<() => Promise<void>>;
  /** Starts projectors with three shards on the first server, each in its database, of which the last two are listed the wrong way. */
  startSwapped(): Promise<unknown>;
  /** Starts projectors that write to the single server of the test system, with the same log and PostgreSQL. */
  startSingle(partitions: number): Promise<() => Promise<void>>;
  /** Starts query-api, optionally with the shards in another order, and returns its address. */
  startQueryApi(order?: readonly [number, number]): Promise<string>;
  /** Starts query-api on the single server of the test system, and returns its address. */
  startSingleQueryApi(): Promise<string>;
  /**
   * Starts the operations server and returns a function that sends it a GET request as the operator. The embedded engine has no
   * `Distributed` tables, so lists are read from the second shard.
   */
  startOperations(): Promise<(path: string) => Promise<Response>>;
  close(): Promise<void>;
}

export const startShardedService = async ({ store, postgres, env }: TestSystem): Promise<ShardedService> => {
  const second = await killableClickHouse();
  const engines = [await sharedClickHouse(), second];
  const database = `popsvc_test_${randomBytes(6).toString('hex')}`;
  const urls = engines.map(({ url }) => `${url}/${database}`);
  const openWriters = () =>
    listShards(2).map((shard, index) => openClickHouseWriter({ url: urls[index]!, ...engines[index]!.writer, shard }));
  const writers = openWriters();
  const closing: (() => unknown)[] = [];
  let listRunning: OpsServerDependencies['listRunningProjections'] = () => [];
  const openReaders = (user: 'reader' | 'writer', order: readonly [number, number] = [0, 1]) =>
    listShards(2).map((shard, index): ShardReader => {
      const at = order[index]!;
      return { shard, reader: openClickHouseReader({ url: urls[at]!, ...engines[at]![user], shard }, isReplicaReady) };
    });
  const readers = openReaders('reader');
  const closeReaders = (opened: readonly ShardReader[]) => Promise.all(opened.map(({ reader }) => reader.close()));
  /** Projectors that stop may cancel the statements of their writers, so these are of no further use. */
  const start = async (
    owner: string,
    own: readonly ClickHouseWriter[],
    partitions: number,
    { dataDir, wrapWriter = (writer) => writer }: StartOptions = {},
  ) => {
    const pool = openPostgres({ url: env['DATABASE_URL']!, log, name: owner, connections: 20 });
    const shared = { store, writers: own.map(wrapWriter), postgres: pool, log, metrics: createMetrics('test') };
    const projectors = await createProjectors({ ...shared, owner, partitions, dataDir });
    listRunning = () => projectors.statusRegistry.statuses;
    return async () => {
      await projectors.stop();
      await Promise.all([pool.end(), ...own.map((writer) => writer.close())]);
    };
  };
  const startReports = async (own: readonly ShardReader[]) => {
    const watch = await startRevocationWatch(postgres, { log });
    const service = createQueryApi({ shards: own, postgres, secretSealer, watch, log, metrics: createMetrics('test') });
    closing.push(
      () => service.close(),
      () => watch.stop(),
      () => closeReaders(own),
    );
    return `http://127.0.0.1:${await service.listen({ port: 0, host: '127.0.0.1' })}`;
  };
  return {
    writers,
    readers,
    second,
    startProjectors: (partitions, options) => start('sharded', openWriters(), partitions, options),
    async startSwapped() {
      const { url, writer } = engines[0]!;
      const own = [0, 2, 1].map((place, index) =>
        openClickHouseWriter({ url: `${url}/${database}_${place}`, ...writer, shard: { index, of: 3 } }),
      );
      for (const { index, of } of listShards(3)) {
        const created = openClickHouseWriter({ url: `${url}/${database}_${index}`, ...writer, shard: { index, of } });
        await created.createDatabase();
        await created.close();
      }
      closing.push(...own.map((each) => () => each.close()));
      return start('swapped', own, 1);
    },
    startSingle: (partitions) =>
      start('single', [openClickHouseWriter({ url: env['CLICKHOUSE_URL']!, ...engines[0]!.writer })], partitions),
    startQueryApi: (order = [0, 1]) => startReports(openReaders('reader', order)),
    startSingleQueryApi: () => {
      const reader = openClickHouseReader({ url: env['CLICKHOUSE_URL']!, ...engines[0]!.reader }, isReplicaReady);
      return startReports([{ shard: onlyShard, reader }]);
    },
    async startOperations() {
      const operated = openReaders('writer');
      const checked = operated.map(({ shard, reader }, index) => ({
        writer: writers[index]!,
        reader,
        declarations: allProjections.map((projection) => projectionInShard(projection, shard)),
      }));
      const metrics = createMetrics('test');
      const around = { requireSyncStandby: false, folders: [], services: [] };
      registerStoreMetrics({ metrics, postgres, readers: operated, writers, owner: 'sharded', ...around });
      const token = 'operator-token-of-tests';
      const server = createOpsServer({
        store,
        shards: checked,
        reader: operated[1]!.reader,
        postgres,
        secretSealer,
        listRunningProjections: () => listRunning(),
        followers: [],
        around,
        consoleFolder: '',
        fleetThresholds: { darkDevicesPercent: 20, vendorSilentMinutes: 120 },
        openedAddresses: [],
        analystsUrl: engines[0]!.analystsUrl,
        operatorToken: new Secret(token),
        metrics,
        log,
      });
      const port = await server.listen({ port: 0, host: '127.0.0.1' });
      closing.push(
        () => server.close(),
        () => closeReaders(operated),
      );
      return (path) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
    },
    async close() {
      for (const close of closing) await close();
      await Promise.all([closeReaders(readers), ...writers.map((writer) => writer.close())]);
    },
  };
};

/** Issues a token for some networks. */
export const issueToken = async (
  { postgres }: Pick<TestSystem, 'postgres'>,
  url: string,
  networkIds: readonly number[],
): Promise<Readonly<Record<string, string>>> => {
  const { client, clientSecret } = await createClient(postgres, { networkIds });
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: clientSecret,
  });
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { authorization: `Bearer ${token}` };
};
