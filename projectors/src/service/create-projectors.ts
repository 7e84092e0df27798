import type { EventPublisher } from '@popsvc/platform/message-bus';
import type { EventStore } from '@popsvc/platform/event-store';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createCheckpointStore, createLeaseStore, type Postgres, pruneDerivedRows } from '@popsvc/platform/postgres';
import { createSignal, startSchedule } from '@popsvc/platform/runtime';
import { type Log, type Registry } from '@popsvc/platform/telemetry';
import { runGrantSync } from '@popsvc/ops-api/analysts';
import { startLagSampling, createProjectionReader } from '@popsvc/ops-api/server';
import {
  ensureAnalystViews,
  runAnalystViewRepair,
  openGenerations,
  prunePendingRanges,
  pruneProgress,
  findGenerations,
  planReplaysOfUnreadable,
  watchForDamage,
} from '@popsvc/read-models/generations';
import { allProjections, logFollowers } from '../projections/all.ts';
import { createBatchMetrics } from '../metrics/index.ts';
import { runLivenessMonitor } from '../projections/liveness/index.ts';
import { runRelay } from '../projections/relay/relay-process.ts';
import { type ReplayDependencies, superviseReplays } from '../engine/replay/index.ts';
import { openRowBudget } from '../engine/row-budget.ts';
import { isOfLog } from '../engine/event-log.ts';
import { createStatusRegistry, persistStatuses, type StatusRegistry } from '../engine/projection-status.ts';
import { superviseProjections } from '../engine/runner/supervisor.ts';
import { emitProbes } from '../engine/probes.ts';
import type { Projection } from '../engine/projection.ts';
import { recordLogRepairs } from '../log-repairs/record-log-repairs.ts';

export interface ProjectorDependencies extends Pick<ReplayDependencies, 'buildInBackground' | 'countInBackground'> {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly postgres: Postgres;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
  /** Names of the projections that this process may run; default: all. A projection runs in only one process at a time. */
  readonly own?: readonly string[] | undefined;
  /** Publishes the log to the message bus; undefined: the log is not published. */
  readonly feed?: EventPublisher | undefined;
  /** How long the previous generation is kept for a rollback, in ms; default one day. */
  readonly keepMs?: number;
  /** Data folder of an installation with the embedded event store; undefined: there is none on this machine. */
  readonly dataDir?: string | undefined;
  /** Rows that a live generation may derive for a network in a UTC day; default: no limit. */
  readonly derivedRowsPerDay?: number;
}

export interface Projectors {
  readonly statusRegistry: StatusRegistry;
  /**
   * Stops the projections and replays. Each projection finishes its batch, if that takes at most two seconds. After that, the
   * statements of the batch are cancelled, and the next run repeats the batch.
   */
  stop(): Promise<void>;
}

const eachHour = '23 * * * *';

/** How long batches may continue after a stop before their statements are cancelled. */
const finishTimeoutMs = 2_000;

/** Creates the schema, then runs the projections and replays until `stop` is called. */
export const createProjectors = async ({
  store,
  writer,
  postgres,
  metrics,
  log,
  owner,
  own,
  feed,
  keepMs = 24 * 3_600_000,
  derivedRowsPerDay,
  dataDir,
  buildInBackground,
  countInBackground,
}: ProjectorDependencies): Promise<Projectors> => {
  const live = await openGenerations({ postgres, writer, log }, allProjections);
  // Before a replay is planned or continued.
  if (dataDir !== undefined) await recordLogRepairs({ postgres, writer, log }, allProjections, dataDir);
  // Not fatal, because only analysts need these views. ClickHouse refuses the statement if the user is not allowed to create
  // databases.
  await ensureAnalystViews(writer, live).catch((err: unknown) => log.warn({ err }, 'failed to create analyst views'));
  const checkpoints = createCheckpointStore(postgres);
  const planReplays = async () =>
    planReplaysOfUnreadable(postgres, await findGenerations(postgres, allProjections, 'live', 'own'), log, {
      mayReplay: ({ projection, generation }) =>
        isOfLog({ store, checkpoints }, { projection: projection.name, generation }),
    });
  await planReplays();
  const verifyRun = async () => {
    await openGenerations({ postgres, writer, log }, allProjections);
    await planReplays();
  };
  const statusRegistry = createStatusRegistry();
  const isOwn = ({ name }: Pick<Projection, 'name'>) => own?.includes(name) ?? true;
  for (const { projection, generation } of live.filter(({ projection }) => isOwn(projection)))
    statusRegistry.register({ name: projection.name, streams: projection.streams, generation, isNeeded: true });
  const end = new AbortController();
  const generationsChanged = createSignal(end.signal);
  const running = {
    store,
    writer,
    checkpoints,
    leases: createLeaseStore(postgres),
    log,
    owner,
    postgres,
    statusRegistry,
    projections: allProjections,
    onBatch: createBatchMetrics({ metrics, statusRegistry, store }),
    ...(derivedRowsPerDay !== undefined && { dailyRows: await openRowBudget(postgres, derivedRowsPerDay) }),
  };
  const loops = [
    superviseProjections({ ...running, projections: allProjections.filter(isOwn), generationsChanged }, end.signal),
    superviseReplays(
      {
        ...running,
        keepMs,
        onSwitched: () => generationsChanged.notify(),
        ...(buildInBackground && { buildInBackground }),
        ...(countInBackground && { countInBackground }),
      },
      end.signal,
    ),
    runGrantSync(writer, postgres, log, end.signal),
    runAnalystViewRepair({ ...running, postgres }, end.signal),
    watchForDamage({ ...running, postgres, verifyRun, onDamage: planReplays }, end.signal),
    runLivenessMonitor({ store, postgres, statusRegistry, metrics, log, owner }, end.signal),
    ...(feed ? [runRelay({ store, postgres, feed, statusRegistry, metrics, log, owner }, end.signal)] : []),
  ];
  const stopProbes = emitProbes(store, log);
  const stopStatuses = persistStatuses(postgres, statusRegistry, owner, log);
  const stopSampling = startLagSampling(
    createProjectionReader({ store, postgres, declarations: allProjections, followers: logFollowers }),
    postgres,
    log,
  );
  const prune = async () => {
    await pruneDerivedRows(postgres);
    await pruneProgress(writer);
    await prunePendingRanges(writer, await findGenerations(postgres, allProjections, 'live', 'own'));
  };
  const pruning = startSchedule('progress', eachHour, prune, log);
  return {
    statusRegistry,
    async stop() {
      stopProbes();
      stopSampling();
      end.abort();
      const cancelling = setTimeout(() => writer.cancelStatements(), finishTimeoutMs);
      await pruning.stop();
      await Promise.all(loops);
      clearTimeout(cancelling);
      stopStatuses();
    },
  };
};
