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
import { LogMismatch } from '../event-log.ts';
import { UnfoldableEvent } from '../parking/poison.ts';
import type { Projection } from '../projection.ts';
import { LeaseLost } from '../run-ended.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { PermanentReplayError, ReplayCancelled } from './errors.ts';
import { type ReplayReport, startReplayReport } from './report.ts';
import { dropSnapshotsOfReplay } from './snapshots.ts';
import { type ReplayRun, runReplaySteps } from './steps.ts';
import { pointReadersToLive } from './switch-readers.ts';

/** Ends a replay that failed or was cancelled: readers stay on the live generation, and what was built is dropped. */
const abandonReplay = async (
  parts: ReplayDependencies,
  { conducting, replay, projection }: ReplayRun,
  report: ReplayReport,
  ended: { readonly state: 'failed' | 'cancelled'; readonly error?: string },
): Promise<void> => {
  // Throws when another process runs the replay.
  await report.write({});
  // An interrupted run may have pointed readers at the new generation.
  await pointReadersToLive(parts, projection);
  await dropSnapshotsOfReplay(parts.writer, { replay: replay.id, epoch: conducting.epoch });
  if (replay.kind === 'replay')
    await abandonGeneration(parts.postgres, { projection: replay.projection, generation: replay.to });
  await report.write(ended);
};

/** Maximum number of consecutive statements that ClickHouse refuses without progress in between. */
const mostRefusals = 5;
const longestPauseMs = 15_000;

const pauseMs = (failures: number) => Math.min(longestPauseMs, 500 * 2 ** failures) * (0.5 + Math.random() / 2);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type End = Parameters<typeof abandonReplay>[3];

/** Returns the final state of a replay after this error; undefined when it may be tried again. */
const endBy = (error: unknown, refusals: number): End | undefined => {
  if (error instanceof ReplayCancelled) return { state: 'cancelled' };
  if (error instanceof LogMismatch)
    return { state: 'failed', error: `${error.message}. The new generation is dropped; request the replay again.` };
  const isOver = error instanceof PermanentReplayError || error instanceof UnfoldableEvent || refusals >= mostRefusals;
  return isOver ? { state: 'failed', error: messageOf(error) } : undefined;
};

/** One attempt. Returns when the replay has ended. */
const tried = async (
  parts: ReplayDependencies,
  { conducting, projection }: { readonly conducting: ReplayCoordination; readonly projection: Projection },
  {
    report,
    end,
    signal,
  }: { readonly report: ReplayReport; readonly end: End | undefined; readonly signal: AbortSignal },
): Promise<void> => {
  const replay = await findReplay(parts.postgres, conducting.id);
  if (!replay || replay.endedAt) return;
  if (end) await abandonReplay(parts, { conducting, replay, projection }, report, end);
  else if (replay.cancelRequestedAt)
    await abandonReplay(parts, { conducting, replay, projection }, report, { state: 'cancelled' });
  else await runReplaySteps(parts, { conducting, replay, projection }, report, signal);
};

const untilItEnds = async (
  parts: ReplayDependencies,
  of: { readonly conducting: ReplayCoordination; readonly projection: Projection },
  report: ReplayReport,
  signal: AbortSignal,
): Promise<void> => {
  const { log } = parts;
  const either = AbortSignal.any([signal, report.signal]);
  let [failures, refusals] = [0, 0];
  let end: End | undefined;
  for (;;) {
    try {
      await tried(parts, of, { report, end, signal: either });
      return;
    } catch (caught) {
      if (signal.aborted) return;
      const error: unknown = report.signal.aborted ? report.signal.reason : caught;
      if (error instanceof LeaseLost && report.signal.aborted) throw error;
      if (report.hasProgressed()) [failures, refusals] = [0, 0];
      failures += 1;
      if (isServerError(error)) refusals += 1;
      log.warn({ err: error, projection: of.projection.name, replay: of.conducting.id }, 'replay attempt failed');
      const isWaiting = end !== undefined || !(end = endBy(error, refusals));
      if (!isWaiting) continue;
      await report.write({ error: messageOf(error) }).catch(() => undefined);
      await sleep(pauseMs(failures), undefined, { signal }).catch(() => undefined);
    }
  }
};

/**
 * Runs a replay to its end, unless another process holds its lease. Stops where it is when the signal aborts; another
 * process resumes it.
 */
export const runReplay = async (
  parts: ReplayDependencies,
  replay: ReplayRecord,
  projection: Projection,
  signal: AbortSignal,
): Promise<void> => {
  const lease = await holdLease(parts.leases, replayLeaseKey(replay.projection), parts.owner);
  if (!lease) return;
  const conducting = { id: replay.id, projection: replay.projection, epoch: lease.epoch };
  const report = startReplayReport(parts.postgres, conducting);
  try {
    await untilItEnds(parts, { conducting, projection }, report, signal);
  } finally {
    report.end();
    await report.write({}).catch(() => undefined);
    await lease.release();
  }
};
