import { nameInShard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseWriter,
  liveViewName,
  type ShardReader,
  type Sql,
  sql,
  writersOfServers,
} from '@popsvc/platform/clickhouse';
import { countDeliveries, type Postgres, readMembers } from '@popsvc/platform/postgres';
import { readBackupRecord, readEventLogScrub, readFolderDisk } from '@popsvc/ops-api/server';
import { createSampler } from '@popsvc/platform/runtime';
import type { Registry } from '@popsvc/platform/telemetry';
import { type ProjectionName, projectionNames } from '@popsvc/read-models/generations';
import { bulkJobs, pendingView, progressView, quarantine } from '@popsvc/read-models/tables';
import { registerGauge, sampleEach } from './gauges.ts';
import { labelOfShard, labelsOfServer, registerReplicaMetrics } from './replica-metrics.ts';
import { registerReplicationMetrics } from './replication-metrics.ts';

interface Parts {
  readonly rows: number;
  readonly bytes: number;
  readonly parts: number;
  readonly worst: number;
}

interface Disk {
  readonly name: string;
  readonly free: number;
  readonly size: number;
}

const partsSql = `
  SELECT toFloat64(sum(r)) AS rows, toFloat64(sum(b)) AS bytes, toFloat64(sum(n)) AS parts, toFloat64(max(n)) AS worst
  FROM (
    SELECT table, partition_id, count() AS n, sum(rows) AS r, sum(bytes_on_disk) AS b
    FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table, partition_id)`;

const disksSql = `SELECT name, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS size FROM system.disks`;

const registerClickHouseMetrics = (metrics: Registry, writers: readonly ClickHouseWriter[]): void => {
  const servers = writers.flatMap(writersOfServers);
  const readParts = async (server: ClickHouseWriter): Promise<Parts> =>
    (await server.rows<Parts>(partsSql, { timeoutMs: 2_000 }))[0]!;
  const readDisks = async (server: ClickHouseWriter): Promise<readonly Disk[]> => {
    const { cluster, shard } = server;
    const nameOf = (disk: string) =>
      cluster === undefined ? nameInShard(disk, shard) : `${disk} at ${new URL(server.server).host}`;
    const found = await server.rows<Disk>(disksSql, { timeoutMs: 2_000 });
    return found.map((disk) => ({ ...disk, name: nameOf(disk.name) }));
  };
  const parts = sampleEach(servers, readParts, { maxAgeMs: 15_000 });
  const disks = sampleEach(servers, readDisks, { maxAgeMs: 15_000 });

  const ofParts = (name: string, help: string, value: (found: Parts) => number) =>
    registerGauge(metrics, { name, help, labelNames: ['shard', 'replica'] }, async () =>
      (await parts()).map(({ of, value: ofServer }) => [labelsOfServer(of), value(ofServer)]),
    );
  ofParts(
    'popsvc_clickhouse_rows',
    'Rows on disk of a ClickHouse server in all generations, including those that merges will remove.',
    (f) => f.rows,
  );
  ofParts(
    'popsvc_clickhouse_bytes',
    'Size of the active parts of all tables on disk of a ClickHouse server.',
    (f) => f.bytes,
  );
  ofParts('popsvc_clickhouse_parts', 'Active parts of all tables of a ClickHouse server.', (f) => f.parts);
  ofParts(
    'popsvc_clickhouse_partition_parts_max',
    'Most active parts of one partition of a ClickHouse server; past 300 merges do not keep up, past 3,000 inserts are refused.',
    (f) => f.worst,
  );

  const ofDisks = (name: string, help: string, value: (disk: Disk) => number) =>
    registerGauge(metrics, { name, help, labelNames: ['disk'] }, async () =>
      (await disks()).flatMap(({ value: found }) => found.map((disk) => [{ disk: disk.name }, value(disk)])),
    );
  ofDisks('popsvc_clickhouse_disk_free_bytes', 'Free bytes of a disk of a ClickHouse server.', ({ free }) => free);
  ofDisks('popsvc_clickhouse_disk_bytes', 'Size of a disk of a ClickHouse server.', ({ size }) => size);
};

interface Fresh {
  readonly projection: ProjectionName;
  readonly as_of_ms: number;
}

interface Counts {
  readonly waiting: number;
  readonly queued: number;
  readonly processing: number;
}

const freshQuery: Sql = sql`
  SELECT projection, toUnixTimestamp64Milli(min(as_of)) AS as_of_ms FROM ${liveViewName(progressView)} GROUP BY projection`;

const countsQuery: Sql = sql`
  SELECT (SELECT count() FROM ${liveViewName(quarantine)} WHERE state = 'waiting') AS waiting,
    countIf(began = 0 AND ended = 0) AS queued, countIf(began > 0 AND ended = 0) AS processing
  FROM (SELECT countIf(part = 'began') AS began, countIf(part = 'ended') AS ended
    FROM ${liveViewName(bulkJobs)} GROUP BY job_id)`;

const pendingQuery: Sql = sql`
  SELECT projection, toFloat64(uniqExact(network_id)) AS networks, toFloat64(sum(ranges)) AS ranges,
    toFloat64(toUnixTimestamp64Milli(min(as_of))) AS as_of_ms
  FROM ${liveViewName(pendingView)} GROUP BY projection`;

interface Pending {
  readonly projection: ProjectionName;
  readonly networks: number;
  readonly ranges: number;
  readonly as_of_ms: number;
}

const ageSeconds = (ms: number): number => Math.max(0, Date.now() - ms) / 1_000;

const registerPendingMetrics = (metrics: Registry, readers: readonly ShardReader[]): void => {
  const read = sampleEach(readers, ({ reader }) => reader.rows<Pending>(pendingQuery), { maxAgeMs: 2_000 });
  const ofPending = (name: string, help: string, value: (found: Pending) => number) =>
    registerGauge(metrics, { name, help, labelNames: ['projection'] }, async () =>
      (await read()).flatMap(({ of, value: found }) =>
        found.map((each) => [{ projection: nameInShard(each.projection, of.shard) }, value(each)]),
      ),
    );
  ofPending(
    'popsvc_pending_networks',
    'Networks whose rows are derived later than those of others, because they exceed their share.',
    ({ networks }) => networks,
  );
  ofPending(
    'popsvc_pending_ranges',
    'Ranges of screens and times whose rows are derived later.',
    ({ ranges }) => ranges,
  );
  ofPending(
    'popsvc_pending_oldest_seconds',
    'Age of the oldest data that waits in a pending range: the maximum staleness of the reports of these networks.',
    ({ as_of_ms }) => ageSeconds(as_of_ms),
  );
};

const registerReadModelMetrics = (metrics: Registry, readers: readonly ShardReader[]): void => {
  const fresh = sampleEach(readers, ({ reader }) => reader.rows<Fresh>(freshQuery), { maxAgeMs: 2_000 });
  const readCounts = async ({ reader }: ShardReader) => (await reader.rows<Counts>(countsQuery))[0]!;
  const counts = sampleEach(readers, readCounts, { maxAgeMs: 30_000 });

  registerGauge(
    metrics,
    {
      name: 'popsvc_freshness_seconds',
      help: 'Age of the newest event in a read model, including probes: the maximum staleness of reports.',
      labelNames: ['projection'],
    },
    async () =>
      (await fresh()).flatMap(({ of, value }) =>
        value.map(({ projection, as_of_ms }) => [
          { projection: nameInShard(projection, of.shard) },
          ageSeconds(as_of_ms),
        ]),
      ),
  );
  registerGauge(
    metrics,
    {
      name: 'popsvc_quarantine_events',
      help: 'Quarantined events that wait for a mapping or for the registration of their screen.',
      labelNames: ['shard'],
    },
    async () => (await counts()).map(({ of, value }) => [labelOfShard(of.shard), value.waiting]),
  );
  registerGauge(
    metrics,
    { name: 'popsvc_bulk_jobs', help: 'Unfinished bulk jobs by status.', labelNames: ['status'] },
    async () => {
      // Each shard has all jobs, so one is enough.
      const [found] = await counts();
      return (['queued', 'processing'] as const).flatMap((status) =>
        found ? [[{ status }, found.value[status]]] : [],
      );
    },
  );
};

interface Figures {
  readonly parked: readonly { readonly projection: string; readonly events: number }[];
  readonly paused: readonly string[];
  readonly held: readonly string[];
  readonly replays: readonly { readonly projection: string; readonly events: number; readonly total: number | null }[];
  readonly damaged: readonly { readonly projection: string; readonly tables: number }[];
  readonly oldestParked: number;
  readonly exhausted: number;
  readonly bytes: number;
}

const postgresSql = `
  SELECT
    coalesce((SELECT jsonb_agg(jsonb_build_object('projection', m.projection, 'events', (
        SELECT count(DISTINCT sequence) FROM parked_events p
        WHERE p.projection = m.projection AND p.generation = m.live_generation AND p.state = 'parked')))
      FROM read_models m WHERE projection = ANY($3)), '[]') AS parked,
    coalesce((SELECT extract(epoch FROM now() - min(parked_at)) FROM parked_events
      WHERE state = 'parked' AND projection = ANY($3)), 0)::float8 AS "oldestParked",
    coalesce((SELECT jsonb_agg(projection) FROM read_models
      WHERE paused_at IS NOT NULL AND projection = ANY($3)), '[]') AS paused,
    coalesce((SELECT jsonb_agg(jsonb_build_object('projection', projection, 'tables',
        (SELECT count(DISTINCT d->>'table') FROM jsonb_array_elements(damage || healing) AS d)))
      FROM generations WHERE state = 'live' AND projection = ANY($3)), '[]') AS damaged,
    coalesce((SELECT jsonb_agg(projection || ' ' || generation || ' ' || partition) FROM leases
      WHERE owner = $1 AND expires_at > now()), '[]') AS held,
    coalesce((SELECT jsonb_agg(jsonb_build_object('projection', projection, 'events', events, 'total', total))
      FROM replays WHERE ended_at IS NULL AND projection = ANY($3)), '[]') AS replays,
    (SELECT count(*) FROM derived_rows
      WHERE shards = $2 AND day = (now() AT TIME ZONE 'UTC')::date AND waiting_since IS NOT NULL)::int AS exhausted,
    pg_database_size(current_database())::float8 AS bytes`;

/** `writers`: the shards whose projections are counted. PostgreSQL may also contain projections of another number of shards. */
const registerPostgresMetrics = (
  metrics: Registry,
  { postgres, owner, writers }: Pick<StoreMetricsDependencies, 'postgres' | 'owner' | 'writers'>,
): void => {
  const names = writers.flatMap(({ shard }) => projectionNames.map((name) => nameInShard(name, shard)));
  const readFigures = async () => (await postgres.query<Figures>(postgresSql, [owner, writers.length, names])).rows[0]!;
  const read = createSampler(readFigures, { maxAgeMs: 5_000 });
  const findMembers = createSampler(() => readMembers(postgres), { maxAgeMs: 5_000 });
  const findDeliveries = createSampler(() => countDeliveries(postgres), { maxAgeMs: 5_000 });
  const ofFigures = (name: string, help: string, value: (figures: Figures) => number) =>
    registerGauge(metrics, { name, help }, async () => {
      const figures = await read();
      return figures && value(figures);
    });
  const ofProjections = (
    name: string,
    help: string,
    values: (figures: Figures) => readonly (readonly [projection: string, value: number])[],
  ) =>
    registerGauge(metrics, { name, help, labelNames: ['projection'] }, async () => {
      const figures = await read();
      return figures ? values(figures).map(([projection, value]) => [{ projection }, value]) : [];
    });
  const ofMembers = (name: string, help: string, value: (members: readonly string[]) => number) =>
    registerGauge(metrics, { name, help }, async () => {
      const members = await findMembers();
      return members && value(members.map(({ member }) => member));
    });

  ofProjections(
    'popsvc_parked_events',
    'Items of events that the live generation could not fold and that are parked now.',
    ({ parked }) => parked.map(({ projection, events }) => [projection, events]),
  );
  ofFigures(
    'popsvc_parked_oldest_seconds',
    'Age of the oldest parked event; 0 without parked events.',
    ({ oldestParked }) => oldestParked,
  );
  ofFigures(
    'popsvc_derived_row_budgets_exhausted',
    'Networks that have used their derived rows of this UTC day (DERIVED_ROWS_PER_DAY); their rows wait until the next day.',
    ({ exhausted }) => exhausted,
  );
  ofProjections('popsvc_projection_paused', '1 for each projection that an operator paused.', ({ paused }) =>
    paused.map((projection) => [projection, 1]),
  );
  ofProjections(
    'popsvc_damaged_tables',
    'Damaged tables of the live generation; their rows are derived again, or a replay rebuilds them.',
    ({ damaged }) => damaged.map(({ projection, tables }) => [projection, tables]),
  );
  ofProjections(
    'popsvc_replay_running',
    '1 for each projection that is being replayed or rolled back.',
    ({ replays }) => replays.map(({ projection }) => [projection, 1]),
  );
  ofProjections(
    'popsvc_replay_progress_ratio',
    'Progress of a replay from 0 to 1, once the total is known.',
    ({ replays }) =>
      replays.flatMap(({ projection, events, total }) => (total ? [[projection, Math.min(1, events / total)]] : [])),
  );
  ofFigures('popsvc_leases_held', 'Leases that this process holds.', ({ held }) => held.length);
  ofMembers(
    'popsvc_projector_members',
    'Processes of projectors that share the projections: those that have reported in PostgreSQL in the last ten seconds.',
    (members) => members.length,
  );
  ofMembers('popsvc_projector_joined', '1 if this process of projectors shares the projections, else 0.', (members) =>
    Number(members.includes(owner)),
  );
  ofFigures('popsvc_database_bytes', 'Size of the PostgreSQL database on disk.', ({ bytes }) => bytes);
  registerGauge(
    metrics,
    {
      name: 'popsvc_webhook_deliveries',
      help: 'Notices for subscribers that are pending, and dead letters: those that were not delivered in all attempts.',
      labelNames: ['state'],
    },
    async () => {
      const counts = await findDeliveries();
      return (['pending', 'dead'] as const).flatMap((state) => (counts ? [[{ state }, counts[state]]] : []));
    },
  );
};

const registerEventLogMetrics = (metrics: Registry, folders: readonly string[]): void => {
  const read = createSampler(
    async () => (await Promise.all(folders.map(readEventLogScrub))).find((scrub) => scrub !== undefined),
    { maxAgeMs: 15_000 },
  );
  registerGauge(
    metrics,
    {
      name: 'popsvc_event_log_damages',
      help: 'Damaged places that the embedded event store found when it read its log again.',
    },
    async () => (await read())?.segments.reduce((sum, { damages }) => sum + damages.length, 0),
  );
  registerGauge(
    metrics,
    {
      name: 'popsvc_event_log_oldest_check_seconds',
      help: 'Time since the oldest last check of a segment of the embedded log; each segment is checked once a day.',
    },
    async () => {
      const scrub = await read();
      if (!scrub?.segments.length) return undefined;
      return (Date.now() - Math.min(...scrub.segments.map(({ checkedMs }) => checkedMs))) / 1_000;
    },
  );
};

const registerDataFolderMetrics = (metrics: Registry, [folder]: readonly string[]): void => {
  const readDisk = createSampler(async () => (folder === undefined ? undefined : readFolderDisk(folder)), {
    maxAgeMs: 15_000,
  });
  const readBackups = createSampler(async () => (folder === undefined ? undefined : readBackupRecord(folder)), {
    maxAgeMs: 15_000,
  });
  registerGauge(
    metrics,
    {
      name: 'popsvc_data_dir_free_bytes',
      help: 'Free bytes of the disk of DATA_DIR, which has the log and PostgreSQL if they are embedded.',
    },
    async () => (await readDisk())?.free,
  );
  registerGauge(
    metrics,
    { name: 'popsvc_data_dir_disk_bytes', help: 'Size of the disk of DATA_DIR.' },
    async () => (await readDisk())?.size,
  );
  registerGauge(
    metrics,
    {
      name: 'popsvc_backup_age_seconds',
      help: 'Time since the newest complete backup with popsvc backup create began; no value before the first.',
    },
    async () => {
      const complete = (await readBackups())?.complete;
      return complete ? (Date.now() - Date.parse(complete.at)) / 1_000 : undefined;
    },
  );
  registerGauge(
    metrics,
    { name: 'popsvc_backup_failed', help: '1 if the last run of popsvc backup create failed, else 0.' },
    async () => {
      const record = await readBackups();
      return record && Number(record.failure !== null);
    },
  );
};

export interface StoreMetricsDependencies {
  readonly metrics: Registry;
  readonly postgres: Postgres;
  readonly readers: readonly ShardReader[];
  readonly writers: readonly ClickHouseWriter[];
  readonly owner: string;
  readonly requireSyncStandby: boolean;
  readonly folders: readonly string[];
}

export const registerStoreMetrics = ({
  metrics,
  postgres,
  readers,
  writers,
  owner,
  requireSyncStandby,
  folders,
}: StoreMetricsDependencies): void => {
  registerPostgresMetrics(metrics, { postgres, owner, writers });
  registerReplicationMetrics(metrics, postgres, requireSyncStandby);
  registerReadModelMetrics(metrics, readers);
  registerPendingMetrics(metrics, readers);
  registerClickHouseMetrics(metrics, writers);
  registerReplicaMetrics(metrics, writers);
  registerEventLogMetrics(metrics, folders);
  registerDataFolderMetrics(metrics, folders);
};
