import { nameInShard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseWriter,
  liveViewName,
  type ShardReader,
  type Sql,
  sql,
  writersOfServers,
} from '@popsvc/platform/clickhouse';
import { type Postgres, readMembers } from '@popsvc/platform/postgres';
import { readEventLogScrub } from '@popsvc/ops-api/server';
import { createSampler } from '@popsvc/platform/runtime';
import { Gauge, type Registry } from '@popsvc/platform/telemetry';
import { type ProjectionName, projectionNames } from '@popsvc/read-models/generations';
import { bulkJobs, pendingView, progressView, quarantine } from '@popsvc/read-models/tables';
import { labelOfShard, labelsOfServer, registerReplicaMetrics } from './replica-metrics.ts';
import { sampleEach } from './sample-each.ts';
import { registerReplicationMetrics } from './replication-metrics.ts';
import { registerWebhookMetrics } from './webhook-metrics.ts';

/** Figures of the parts of a server. */
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

/** Registers the ClickHouse metrics that the service's ClickHouse user can read. */
const registerClickHouseMetrics = (metrics: Registry, writers: readonly ClickHouseWriter[]): void => {
  const registers = [metrics];
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
    new Gauge({
      name,
      help,
      labelNames: ['shard', 'replica'],
      registers,
      async collect() {
        const found = await parts();
        this.reset();
        for (const { of, value: ofServer } of found) this.set(labelsOfServer(of), value(ofServer));
      },
    });
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
    new Gauge({
      name,
      help,
      labelNames: ['disk'],
      registers,
      async collect() {
        const found = await disks();
        this.reset();
        for (const disk of found.flatMap(({ value: ofServer }) => ofServer)) this.set({ disk: disk.name }, value(disk));
      },
    });
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

/** Selects the append time of the newest event in each read model, in ms since 1970. */
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

/** Registers the metrics of ranges that batches put off, because their network exceeds its share. */
const registerPendingMetrics = (metrics: Registry, readers: readonly ShardReader[]): void => {
  const read = sampleEach(readers, ({ reader }) => reader.rows<Pending>(pendingQuery), { maxAgeMs: 2_000 });
  const ofPending = (name: string, help: string, value: (found: Pending) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['projection'],
      registers: [metrics],
      async collect() {
        const found = await read();
        this.reset();
        for (const {
          of: { shard },
          value: ofShard,
        } of found)
          for (const each of ofShard) this.set({ projection: nameInShard(each.projection, shard) }, value(each));
      },
    });
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
    ({ as_of_ms }) => Math.max(0, Date.now() - as_of_ms) / 1_000,
  );
};

/** Registers the metrics computed from read models: freshness, events waiting in quarantine, unfinished bulk jobs. */
const registerReadModelMetrics = (metrics: Registry, readers: readonly ShardReader[]): void => {
  const registers = [metrics];
  const fresh = sampleEach(readers, ({ reader }) => reader.rows<Fresh>(freshQuery), { maxAgeMs: 2_000 });
  const readCounts = async ({ reader }: ShardReader) => (await reader.rows<Counts>(countsQuery))[0]!;
  const counts = sampleEach(readers, readCounts, { maxAgeMs: 30_000 });

  new Gauge({
    name: 'popsvc_freshness_seconds',
    help: 'Age of the newest event in a read model, including probes: the maximum staleness of reports.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const found = await fresh();
      this.reset();
      for (const {
        of: { shard },
        value,
      } of found)
        for (const { projection, as_of_ms } of value)
          this.set({ projection: nameInShard(projection, shard) }, Math.max(0, Date.now() - as_of_ms) / 1_000);
    },
  });
  new Gauge({
    name: 'popsvc_quarantine_events',
    help: 'Quarantined events that wait for a mapping or for the registration of their screen.',
    labelNames: ['shard'],
    registers,
    async collect() {
      const found = await counts();
      this.reset();
      for (const { of, value } of found) this.set(labelOfShard(of.shard), value.waiting);
    },
  });
  new Gauge({
    name: 'popsvc_bulk_jobs',
    help: 'Unfinished bulk jobs by status.',
    labelNames: ['status'],
    registers,
    async collect() {
      // Each shard has all jobs.
      const [found] = await counts();
      this.reset();
      if (!found) return;
      this.set({ status: 'queued' }, found.value.queued);
      this.set({ status: 'processing' }, found.value.processing);
    },
  });
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

/** Registers the metrics of the projections of these shards that are read from PostgreSQL: parked events, paused projections, leases, members, replays. */
const registerPostgresMetrics = (
  metrics: Registry,
  { postgres, owner, writers }: Pick<StoreMetricsDependencies, 'postgres' | 'owner' | 'writers'>,
): void => {
  const registers = [metrics];
  const names = writers.flatMap(({ shard }) => projectionNames.map((name) => nameInShard(name, shard)));
  const readFigures = async () => (await postgres.query<Figures>(postgresSql, [owner, writers.length, names])).rows[0]!;
  const read = createSampler(readFigures, { maxAgeMs: 5_000 });
  const findMembers = createSampler(() => readMembers(postgres), { maxAgeMs: 5_000 });
  const ofMembers = (name: string, help: string, value: (members: readonly string[]) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const members = await findMembers();
        if (members) this.set(value(members.map(({ member }) => member)));
        else this.remove();
      },
    });

  new Gauge({
    name: 'popsvc_parked_events',
    help: 'Items of events that the live generation could not fold and that are parked now.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const { projection, events } of figures?.parked ?? []) this.set({ projection }, events);
    },
  });
  new Gauge({
    name: 'popsvc_parked_oldest_seconds',
    help: 'Age of the oldest parked event; 0 without parked events.',
    registers,
    async collect() {
      const figures = await read();
      if (figures) this.set(figures.oldestParked);
      else this.remove();
    },
  });
  new Gauge({
    name: 'popsvc_derived_row_budgets_exhausted',
    help: 'Networks that have used their derived rows of this UTC day (DERIVED_ROWS_PER_DAY); their rows wait until the next day.',
    registers,
    async collect() {
      const figures = await read();
      if (figures) this.set(figures.exhausted);
      else this.remove();
    },
  });
  new Gauge({
    name: 'popsvc_projection_paused',
    help: '1 for each projection that an operator paused.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const projection of figures?.paused ?? []) this.set({ projection }, 1);
    },
  });
  new Gauge({
    name: 'popsvc_damaged_tables',
    help: 'Damaged tables of the live generation; their rows are derived again, or a replay rebuilds them.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const { projection, tables } of figures?.damaged ?? []) this.set({ projection }, tables);
    },
  });
  new Gauge({
    name: 'popsvc_replay_running',
    help: '1 for each projection that is being replayed or rolled back.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const { projection } of figures?.replays ?? []) this.set({ projection }, 1);
    },
  });
  new Gauge({
    name: 'popsvc_replay_progress_ratio',
    help: 'Progress of a replay from 0 to 1, once the total is known.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const { projection, events, total } of figures?.replays ?? [])
        if (total) this.set({ projection }, Math.min(1, events / total));
    },
  });
  new Gauge({
    name: 'popsvc_leases_held',
    help: 'Leases that this process holds.',
    registers,
    async collect() {
      const figures = await read();
      if (figures) this.set(figures.held.length);
      else this.remove();
    },
  });
  ofMembers(
    'popsvc_projector_members',
    'Processes of projectors that share the projections: those that have reported in PostgreSQL in the last ten seconds.',
    (members) => members.length,
  );
  ofMembers('popsvc_projector_joined', '1 if this process of projectors shares the projections, else 0.', (members) =>
    Number(members.includes(owner)),
  );
  new Gauge({
    name: 'popsvc_database_bytes',
    help: 'Size of the PostgreSQL database on disk.',
    registers,
    async collect() {
      const figures = await read();
      if (figures) this.set(figures.bytes);
      else this.remove();
    },
  });
};

/** Registers the metrics of the embedded event store's background checks; they have no value if it has not checked anything. */
const registerEventLogMetrics = (metrics: Registry, folders: readonly string[]): void => {
  const registers = [metrics];
  const read = createSampler(
    async () => (await Promise.all(folders.map(readEventLogScrub))).find((scrub) => scrub !== undefined),
    { maxAgeMs: 15_000 },
  );

  new Gauge({
    name: 'popsvc_event_log_damages',
    help: 'Damaged places that the embedded event store found when it read its log again.',
    registers,
    async collect() {
      const scrub = await read();
      if (scrub) this.set(scrub.segments.reduce((sum, { damages }) => sum + damages.length, 0));
      else this.remove();
    },
  });
  new Gauge({
    name: 'popsvc_event_log_oldest_check_seconds',
    help: 'Time since the oldest last check of a segment of the embedded log; each segment is checked once a day.',
    registers,
    async collect() {
      const scrub = await read();
      if (scrub && scrub.segments.length > 0)
        this.set((Date.now() - Math.min(...scrub.segments.map(({ checkedMs }) => checkedMs))) / 1_000);
      else this.remove();
    },
  });
};

export interface StoreMetricsDependencies {
  readonly metrics: Registry;
  readonly postgres: Postgres;
  readonly readers: readonly ShardReader[];
  readonly writers: readonly ClickHouseWriter[];
  /** Name under which this process holds leases. */
  readonly owner: string;
  /** Whether commits in PostgreSQL must wait for a standby. */
  readonly requireSyncStandby: boolean;
  /** Data folders of embedded engines on this machine. */
  readonly folders: readonly string[];
}

/**
 * Registers the metrics read from PostgreSQL and ClickHouse during a scrape. Values are cached for 2 to 30 s to limit the
 * load.
 */
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
  registerWebhookMetrics(metrics, postgres);
  registerReadModelMetrics(metrics, readers);
  registerPendingMetrics(metrics, readers);
  registerClickHouseMetrics(metrics, writers);
  registerReplicaMetrics(metrics, writers);
  registerEventLogMetrics(metrics, folders);
};
