import type { EventPublisher } from '@popsvc/platform/message-bus';
import type { EventStore } from '@popsvc/platform/event-store';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createCheckpointStore, createLeaseStore, type Postgres } from '@popsvc/platform/postgres';
import { createSignal, startSchedule } from '@popsvc/platform/runtime';
import { type Log, type Registry } from '@popsvc/platform/telemetry';
import { runGrantSync } from '@popsvc/ops-api/analysts';
import { startLagSampling, createProjectionReader } from '@popsvc/ops-api/server';
import {
  ensureAnalystViews,
  runAnalystViewRepair,
  openGenerations,
  pruneProgress,
  planReplaysOfIncomplete,
} from '@popsvc/read-models/generations';
import { allProjections, logFollowers } from '../projections/all.ts';
import { createBatchMetrics } from '../metrics/index.ts';
import { runLivenessMonitor } from '../projections/liveness/index.ts';
import type { CountLog } from '../engine/parallel-build/log-counter.ts';
import type { RunBuildWorkers } from '../engine/parallel-build/build.ts';
import { runRelay } from '../projections/relay/relay-process.ts';
import { superviseReplays } from '../engine/replay/index.ts';
import { createStatusRegistry, persistStatuses, type StatusRegistry } from '../engine/projection-status.ts';
import { superviseProjections } from '../engine/runner/supervisor.ts';
import { emitProbes } from '../engine/probes.ts';
import type { Projection } from '../engine/projection.ts';

export interface ProjectorDependencies {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly postgres: Postgres;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
  /** Names of the projections that are worked on here; default: all that nobody else has. */
  readonly own?: readonly string[] | undefined;
  /** Who builds the tables of a replay; default: this process. */
  readonly hands?: RunBuildWorkers;
  /** Who counts the events of the log that a replay is held against; default: this process. */
  readonly counting?: CountLog;
  /** Where the log is published; none: it is not. */
  readonly feed?: EventPublisher | undefined;
  /** How long the generation before a replay is kept for a rollback; default a day. */
  readonly keepMs?: number;
}

export interface Projectors {
  readonly board: StatusRegistry;
  /** Lets every projection finish its batch, then ends. */
  stop(): Promise<void>;
}

const eachHour = '23 * * * *';

/** Schema first, then every projection in a loop of its own, for as long as nobody stops it. */
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
  hands,
  counting,
}: ProjectorDependencies): Promise<Projectors> => {
  const live = await openGenerations({ postgres, writer, log }, allProjections);
  // What others read goes on without it: a server may let this user write and make no database beside.
  await ensureAnalystViews(writer, live).catch((err: unknown) => log.warn({ err }, 'what analysts see cannot be made'));
  await planReplaysOfIncomplete(postgres, live, log);
  const board = createStatusRegistry();
  const isOwn = ({ name }: Pick<Projection, 'name'>) => own?.includes(name) ?? true;
  for (const { projection, generation } of live.filter(({ projection }) => isOwn(projection)))
    board.register({ name: projection.name, streams: projection.reads, generation, isNeeded: true });
  const end = new AbortController();
  const bell = createSignal(end.signal);
  const running = {
    store,
    writer,
    checkpoints: createCheckpointStore(postgres),
    leases: createLeaseStore(postgres),
    log,
    owner,
    postgres,
    board,
    projections: allProjections,
    onBatch: createBatchMetrics({ metrics, board, store }),
  };
  const loops = [
    superviseProjections({ ...running, projections: allProjections.filter(isOwn), bell }, end.signal),
    superviseReplays(
      {
        ...running,
        keepMs,
        onSwitched: () => bell.notify(),
        ...(hands && { runWorkers: hands }),
        ...(counting && { countInLog: counting }),
      },
      end.signal,
    ),
    runGrantSync(writer, postgres, log, end.signal),
    runAnalystViewRepair({ ...running, postgres }, end.signal),
    runLivenessMonitor({ store, postgres, board, metrics, log, owner }, end.signal),
    ...(feed ? [runRelay({ store, postgres, feed, board, metrics, log, owner }, end.signal)] : []),
  ];
  const stopProbes = emitProbes(store, log);
  const stopTelling = persistStatuses(postgres, board, owner, log);
  const stopSampling = startLagSampling(
    createProjectionReader({ store, postgres, declarations: allProjections, followers: logFollowers }),
    postgres,
    log,
  );
  const pruning = startSchedule('progress', eachHour, () => pruneProgress(writer), log);
  return {
    board,
    async stop() {
      stopProbes();
      stopSampling();
      end.abort();
      await pruning.stop();
      await Promise.all(loops);
      stopTelling();
    },
  };
};
