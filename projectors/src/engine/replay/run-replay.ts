import { setTimeout as sleep } from 'node:timers/promises';
import { isServerError } from '@popsvc/platform/clickhouse';
import {
  abandonGeneration,
  findReplay,
  holdLease,
  type ReplayCoordination,
  replayLeaseKey,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import { pauseAfter } from '@popsvc/platform/runtime';
import { pinToReplica } from '@popsvc/read-models/generations';
import { LogMismatch } from '../event-log.ts';
import { UnfoldableEvent } from '../parking/parking-errors.ts';
import type { Projection } from '../projection.ts';
import { LeaseLost } from '../run-ended.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { PermanentReplayError, ReplayCancelled, StatementRefused } from './errors.ts';
import { type ReplayReport, startReplayReport } from './report.ts';
import { dropSnapshotsOfReplay } from './snapshots.ts';
import { type ReplayRun, runReplaySteps } from './steps.ts';
import { pointReadersToLive } from './switch-readers.ts';

interface ReplayEnd {
  readonly state: 'failed' | 'cancelled';
  readonly error?: string;
}

const abandonReplay = async (
  dependencies: ReplayDependencies,
  { coordination, replay, projection }: ReplayRun,
  report: ReplayReport,
  end: ReplayEnd,
): Promise<void> => {
  // Throws `LeaseLost` if another process has taken over the replay.
  await report.write({});
  // An interrupted attempt may have switched readers to the new generation.
  await pointReadersToLive(dependencies, projection);
  await dropSnapshotsOfReplay(dependencies.writer, { replay: replay.id, epoch: coordination.epoch });
  if (replay.kind === 'replay')
    await abandonGeneration(dependencies.postgres, { projection: replay.projection, generation: replay.to });
  await report.write(end);
};

const maxRefusals = 5;

const isRefusal = (error: unknown): boolean => isServerError(error) || error instanceof StatementRefused;

const backOff = { firstMs: 500, longestMs: 15_000 };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const findReplayEnd = (error: unknown, refusals: number): ReplayEnd | undefined => {
  if (error instanceof ReplayCancelled) return { state: 'cancelled' };
  if (error instanceof LogMismatch)
    return { state: 'failed', error: `${error.reason}. The new generation is dropped; request the replay again.` };
  const isOver = error instanceof PermanentReplayError || error instanceof UnfoldableEvent || refusals >= maxRefusals;
  return isOver ? { state: 'failed', error: messageOf(error) } : undefined;
};

const attemptReplay = async (
  dependencies: ReplayDependencies,
  { coordination, projection }: { readonly coordination: ReplayCoordination; readonly projection: Projection },
  {
    report,
    end,
    signal,
  }: { readonly report: ReplayReport; readonly end: ReplayEnd | undefined; readonly signal: AbortSignal },
): Promise<void> => {
  const replay = await findReplay(dependencies.postgres, coordination.id);
  if (!replay || replay.endedAt) return;
  const pinned = { ...dependencies, writer: await pinToReplica(dependencies.writer, projection.name) };
  if (end) await abandonReplay(pinned, { coordination, replay, projection }, report, end);
  else if (replay.cancelRequestedAt)
    await abandonReplay(pinned, { coordination, replay, projection }, report, { state: 'cancelled' });
  else await runReplaySteps(pinned, { coordination, replay, projection }, report, signal);
};

/** Throws `LeaseLost` if another process runs the replay. */
const retryUntilEnded = async (
  dependencies: ReplayDependencies,
  { coordination, projection }: { readonly coordination: ReplayCoordination; readonly projection: Projection },
  report: ReplayReport,
  signal: AbortSignal,
): Promise<void> => {
  const { log } = dependencies;
  const stopSignal = AbortSignal.any([signal, report.signal]);
  let failures = 0;
  let refusals = 0;
  let end: ReplayEnd | undefined;
  for (;;) {
    try {
      await attemptReplay(dependencies, { coordination, projection }, { report, end, signal: stopSignal });
      return;
    } catch (caught) {
      if (signal.aborted) return;
      const error: unknown = report.signal.aborted ? report.signal.reason : caught;
      if (error instanceof LeaseLost && report.signal.aborted) throw error;
      if (report.hasProgressed()) {
        failures = 0;
        refusals = 0;
      }
      failures += 1;
      if (isRefusal(error)) refusals += 1;
      log.warn({ err: error, projection: projection.name, replay: coordination.id }, 'replay attempt failed');
      if (end === undefined) {
        end = findReplayEnd(error, refusals);
        if (end !== undefined) continue;
      }
      await report.write({ error: messageOf(error) }).catch(() => undefined);
      await sleep(pauseAfter(failures, backOff), undefined, { signal }).catch(() => undefined);
    }
  }
};

/**
 * Does nothing if another process holds the lease. If the signal aborts, the replay stays unfinished, and another process can resume it.
 */
export const runReplay = async (
  dependencies: ReplayDependencies,
  replay: ReplayRecord,
  projection: Projection,
  signal: AbortSignal,
): Promise<void> => {
  const lease = await holdLease(dependencies.leases, replayLeaseKey(replay.projection), dependencies.owner);
  if (!lease) return;
  const coordination = { id: replay.id, projection: replay.projection, epoch: lease.epoch };
  const report = startReplayReport(dependencies.postgres, coordination);
  try {
    await retryUntilEnded(dependencies, { coordination, projection }, report, signal);
  } finally {
    report.end();
    await report.write({}).catch(() => undefined);
    await lease.release();
  }
};
