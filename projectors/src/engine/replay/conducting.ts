import { setTimeout as sleep } from 'node:timers/promises';
import { isServerError } from '@popsvc/platform/clickhouse';
import {
  type ReplayCoordination,
  findReplay,
  holdLease,
  replayLeaseKey,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import { PoisonMet } from '../parking/poison.ts';
import { AnotherLog } from '../another-log.ts';
import { LeaseLost } from '../final.ts';
import type { Projection } from '../projection.ts';
import { conduct } from './conduct.ts';
import { giveUp } from './give-up.ts';
import { Hopeless } from './not-now.ts';
import type { ReplayParts } from './replay-parts.ts';
import { Cancelled, type Report, reporting } from './report.ts';

/** So often ClickHouse may refuse a statement in a row, with nothing built between. */
const mostRefusals = 5;
const longestPauseMs = 15_000;

const pauseMs = (failures: number) => Math.min(longestPauseMs, 500 * 2 ** failures) * (0.5 + Math.random() / 2);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type End = Parameters<typeof giveUp>[3];

/** How a replay ends that this error keeps from going on; undefined when it may be tried again. */
const endBy = (error: unknown, refusals: number): End | undefined => {
  if (error instanceof Cancelled) return { state: 'cancelled' };
  if (error instanceof AnotherLog)
    return { state: 'failed', error: `${error.message}. What was built is dropped; ask for the replay again.` };
  const isOver = error instanceof Hopeless || error instanceof PoisonMet || refusals >= mostRefusals;
  return isOver ? { state: 'failed', error: messageOf(error) } : undefined;
};

/** One try. Returns when the replay has ended. */
const tried = async (
  parts: ReplayParts,
  { conducting, projection }: { readonly conducting: ReplayCoordination; readonly projection: Projection },
  { report, end, signal }: { readonly report: Report; readonly end: End | undefined; readonly signal: AbortSignal },
): Promise<void> => {
  const replay = await findReplay(parts.postgres, conducting.id);
  if (!replay || replay.endedAt) return;
  if (end) await giveUp(parts, { conducting, replay, projection }, report, end);
  else if (replay.cancelRequestedAt)
    await giveUp(parts, { conducting, replay, projection }, report, { state: 'cancelled' });
  else await conduct(parts, { conducting, replay, projection }, report, signal);
};

const untilItEnds = async (
  parts: ReplayParts,
  of: { readonly conducting: ReplayCoordination; readonly projection: Projection },
  report: Report,
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
      if (report.hasMoved()) [failures, refusals] = [0, 0];
      failures += 1;
      if (isServerError(error)) refusals += 1;
      log.warn({ err: error, projection: of.projection.name, replay: of.conducting.id }, 'a replay stopped');
      const isWaiting = end !== undefined || !(end = endBy(error, refusals));
      if (!isWaiting) continue;
      await report.note({ error: messageOf(error) }).catch(() => undefined);
      await sleep(pauseMs(failures), undefined, { signal }).catch(() => undefined);
    }
  }
};

/** Conducts a replay to its end, unless somebody else does. With the signal it stops where it is; another goes on from there. */
export const conducted = async (
  parts: ReplayParts,
  replay: ReplayRecord,
  projection: Projection,
  signal: AbortSignal,
): Promise<void> => {
  const lease = await holdLease(parts.leases, replayLeaseKey(replay.projection), parts.owner);
  if (!lease) return;
  const conducting = { id: replay.id, projection: replay.projection, epoch: lease.epoch };
  const report = reporting(parts.postgres, conducting);
  try {
    await untilItEnds(parts, { conducting, projection }, report, signal);
  } finally {
    report.end();
    await report.note({}).catch(() => undefined);
    await lease.release();
  }
};
