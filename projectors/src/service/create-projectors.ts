import type { EventPublisher } from '@popsvc/platform/message-bus';
import type { EventStore } from '@popsvc/platform/event-store';
import {
  type ClickHouseWriter,
  describeShard,
  requireListedShards,
  writersOfServers,
} from '@popsvc/platform/clickhouse';
import {
  createCheckpointStore,
  createLeaseStore,
  type Postgres,
  pruneDerivedRows,
  type SecretSealer,
} from '@popsvc/platform/postgres';
import { createSignal, startSchedule } from '@popsvc/platform/runtime';
import type { PostWebhook } from '@popsvc/platform/webhook-requests';
import { type Log, type Registry } from '@popsvc/platform/telemetry';
import { runGrantSync } from '@popsvc/ops-api/analysts';
import { startLagSampling, createProjectionReader } from '@popsvc/ops-api/server';
import {
  ensureAnalystViews,
  runAnalystViewRepair,
  openGenerations,
  pruneHistory,
  prunePendingRanges,
  findGenerations,
  onEachServer,
  onEachShard,
  planReplaysOfUnreadable,
  watchForDamage,
} from '@popsvc/read-models/generations';
import { analystsDatabase, analystsShardDatabase } from '@popsvc/read-models/analysts';
import { logFollowers } from '../projections/all.ts';
import { createBatchMetrics } from '../metrics/batch-metrics.ts';
import { runLivenessMonitor } from '../projections/liveness/monitor.ts';
import { type NoticeProcessDependencies, runNotices } from '../notices/notice-monitor.ts';
import { runWebhooks } from '../webhooks/webhooks.ts';
import { runRelay } from '../projections/relay/relay.ts';
import type { ReplayDependencies } from '../engine/replay/dependencies.ts';
import { superviseReplays } from '../engine/replay/supervise-replays.ts';
import { listGenerationPartitions } from '../engine/generation-partitions.ts';
import { openRowBudget } from '../engine/row-budget.ts';
import { isOfLog } from '../engine/event-log.ts';
import { createStatusRegistry, persistStatuses, type StatusRegistry } from '../engine/projection-status.ts';
import { superviseProjections } from '../engine/runner/supervisor.ts';
import { emitProbes } from '../engine/probes.ts';
import { claimPartitions } from '../members/claim-partitions.ts';
import { joinMembers } from '../members/membership.ts';
import { startRecordingRepairs } from '../log-repairs/repair-recording.ts';
import { type ProjectionShard, projectionShards } from './shards.ts';

export interface ProjectorDependencies extends Pick<ReplayDependencies, 'buildInBackground'> {
  readonly store: EventStore;
  readonly writers: readonly ClickHouseWriter[];
  readonly postgres: Postgres;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
  /** Number of partitions of split projections in each shard; default 1. */
  readonly partitions?: number;
  /** Undefined: the log is not published to NATS. */
  readonly feed?: EventPublisher | undefined;
  /** How long the former live generation is kept for a rollback; default one day. */
  readonly keepMs?: number;
  /** Days for which former rows of reports are kept; default: forever. */
  readonly historyDays?: number;
  /** Data folder with the list of repairs of the embedded event store; undefined if this machine has none. */
  readonly dataDir?: string | undefined;
  /** Rows that live generations may derive for a network in a UTC day; default: no limit. */
  readonly derivedRowsPerDay?: number;
  /** Undefined: notices are neither issued nor delivered. */
  readonly webhooks?: WebhookOptions;
}

export interface WebhookOptions extends Pick<
  NoticeProcessDependencies,
  'shards' | 'registryLog' | 'readFleet' | 'thresholds' | 'postgres'
> {
  readonly secretSealer: SecretSealer;
  readonly post: PostWebhook;
}

export interface Projectors {
  readonly statusRegistry: StatusRegistry;
  /** Cancels statements that derive rows at once, all others after two seconds. The next run repeats a batch that is not finished. */
  stop(): Promise<void>;
}

const eachHour = '23 * * * *';

const finishTimeoutMs = 2_000;

/** Without these databases, a new replica cannot fetch the views of analysts from the others. */
const createAnalystDatabases = async (server: ClickHouseWriter, log: Log): Promise<void> => {
  const { database, shard } = server;
  for (const name of new Set([analystsDatabase(database), analystsShardDatabase(database, shard)]))
    await server
      .createDatabase(name)
      .catch((err: unknown) => log.warn({ err, server: server.server }, 'failed to create a database of analysts'));
};

const logFailure =
  (log: Log, level: 'warn' | 'error', message: string) =>
  ({ writer }: ProjectionShard, err: unknown): void =>
    log[level]({ err, shard: describeShard(writer.shard), server: writer.server }, message);

/**
 * Throws `WrongShardError` if the database of a server belongs to another shard, and `ConfigError` if the number of partitions cannot
 * change now.
 */
export const createProjectors = async ({
  store,
  writers,
  postgres,
  metrics,
  log,
  owner,
  partitions = 1,
  feed,
  keepMs = 24 * 3_600_000,
  historyDays,
  derivedRowsPerDay,
  dataDir,
  webhooks,
  buildInBackground,
}: ProjectorDependencies): Promise<Projectors> => {
  await requireListedShards(writers.flatMap(writersOfServers));
  const leases = createLeaseStore(postgres, { partitions });
  const checkpoints = createCheckpointStore(postgres);
  const shards = projectionShards(writers);
  const projections = shards.flatMap((shard) => shard.projections);
  const openOn = (shard: ProjectionShard) => (server: ClickHouseWriter) =>
    openGenerations({ postgres, writer: server, log }, shard.projections);
  const openTables = async (shard: ProjectionShard) => {
    // The first insert needs its table on a majority of the replicas, so all replicas need the database first.
    await shard.writer.createDatabase();
    return onEachServer(shard.writer, openOn(shard), ({ server }, err) =>
      log.warn({ err, server }, 'failed to open the tables on a replica of ClickHouse; it is verified later'),
    );
  };
  await claimPartitions({
    postgres,
    shards,
    checkpoints,
    log,
    owner,
    partitions,
    verifyTables: () => Promise.all(shards.map(openTables)),
  });
  const membership = await joinMembers({ postgres, leases, owner, partitions, shards: shards.length, log });
  const live = await onEachShard(
    shards,
    async (shard) => ({ shard, generations: await openTables(shard) }),
    logFailure(log, 'error', 'failed to open the tables of a shard; retrying'),
  );
  const end = new AbortController();
  const statusRegistry = createStatusRegistry();
  // No replay may be planned or continued before the repairs of the log are recorded.
  const repairs = await startRecordingRepairs({ postgres, log, statusRegistry, dataDir }, shards, end.signal);
  // Not fatal, because only analysts need these views. ClickHouse refuses the statement if the user may not create databases.
  await Promise.all(
    live.map(({ shard, generations }) =>
      ensureAnalystViews(shard.writer, generations).catch((err: unknown) =>
        logFailure(log, 'warn', 'failed to create analyst views')(shard, err),
      ),
    ),
  );
  const planReplays = async () => {
    const replayed = shards.filter((shard) => repairs.isRecorded(shard)).flatMap((shard) => shard.projections);
    await planReplaysOfUnreadable(postgres, await findGenerations(postgres, replayed, 'live', 'own'), log, {
      mayReplay: (which) => isOfLog({ store, checkpoints }, which),
    });
  };
  await planReplays();
  for (const which of await findGenerations(postgres, projections, 'live', 'own'))
    for (const { projection, generation, partition } of listGenerationPartitions(which, partitions))
      statusRegistry.register({
        name: projection.name,
        streams: projection.streams,
        generation,
        partition: partition.index,
        isNeeded: true,
      });
  const generationsChanged = createSignal(end.signal);
  const shared = {
    store,
    checkpoints,
    leases,
    log,
    owner,
    postgres,
    statusRegistry,
    partitions,
    onBatch: createBatchMetrics({ metrics, statusRegistry, store }),
    ...(derivedRowsPerDay !== undefined && {
      dailyRows: await openRowBudget(postgres, derivedRowsPerDay, { shards: shards.length }),
    }),
  };
  const loopsOf = (shard: ProjectionShard): readonly Promise<void>[] => {
    const running = { ...shared, ...shard };
    const verifyRun = async (server: ClickHouseWriter) => {
      await openOn(shard)(server);
      if (server.cluster !== undefined) await createAnalystDatabases(server, log);
      await planReplays();
    };
    const runOnceRecorded = async () => {
      if (!repairs.isRecorded(shard)) {
        await repairs.untilRecorded(shard);
        await planReplays().catch((err: unknown) => log.warn({ err }, 'failed to plan replays of unreadable tables'));
      }
      await Promise.all([
        superviseProjections({ ...running, membership, generationsChanged }, end.signal),
        superviseReplays(
          {
            ...running,
            keepMs,
            onSwitched: () => generationsChanged.notify(),
            ...(buildInBackground && { buildInBackground }),
          },
          end.signal,
        ),
      ]);
    };
    return [
      runOnceRecorded(),
      runGrantSync(shard.writer, postgres, log, end.signal),
      runAnalystViewRepair(running, end.signal),
      watchForDamage({ ...running, verifyRun, onDamage: planReplays }, end.signal),
    ];
  };
  const loops = [
    ...shards.flatMap(loopsOf),
    runLivenessMonitor({ store, postgres, statusRegistry, metrics, log, owner }, end.signal),
    ...(webhooks
      ? [
          runNotices({ store, statusRegistry, metrics, log, owner, ...webhooks }, end.signal),
          runWebhooks({ store, statusRegistry, metrics, log, owner, ...webhooks }, end.signal),
        ]
      : []),
    ...(feed ? [runRelay({ store, postgres, feed, statusRegistry, metrics, log, owner }, end.signal)] : []),
  ];
  const stopProbes = emitProbes(store, log);
  const stopStatuses = persistStatuses(postgres, statusRegistry, owner, log);
  const stopSampling = startLagSampling(
    createProjectionReader({ store, postgres, declarations: projections, followers: logFollowers }),
    postgres,
    log,
  );
  const prune = async () => {
    await pruneDerivedRows(postgres);
    await onEachShard(
      shards,
      async ({ writer, projections: ofShard }) => {
        const live = await findGenerations(postgres, ofShard, 'live', 'own');
        await prunePendingRanges(writer, live);
        const kept = await findGenerations(postgres, ofShard, 'kept', 'own');
        if (historyDays !== undefined) await pruneHistory(writer, [...live, ...kept], historyDays);
      },
      logFailure(log, 'warn', 'failed to prune the tables of a shard'),
    );
  };
  const pruning = startSchedule('pruning', eachHour, prune, log);
  return {
    statusRegistry,
    async stop() {
      stopProbes();
      stopSampling();
      end.abort();
      const cancelling = setTimeout(() => writers.forEach((writer) => writer.cancelStatements()), finishTimeoutMs);
      await pruning.stop();
      await Promise.all(loops);
      clearTimeout(cancelling);
      stopStatuses();
      await membership.leave();
    },
  };
};
