import { readReplays, type ReplayRecord, type Postgres } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import { type Log } from '@popsvc/platform/telemetry';
import type { ProjectionDeclaration } from './projection-declaration.ts';
import { findGenerations } from './live-generations.ts';
import { planReplaysOfIncomplete } from './newer-tables.ts';

export interface RetryReplaysDependencies {
  readonly postgres: Postgres;
  readonly projections: readonly ProjectionDeclaration[];
  readonly log: Log;
  readonly clock?: Clock;
}

const [firstPauseMs, longestPauseMs] = [5 * 60_000, 6 * 3_600_000];

/** More than there can be of one projection before its pauses are as long as they get. */
const looked = 1_000;

/** The newest replays of a projection, as far back as each failed to replace the same generation. */
const failures = (replays: readonly ReplayRecord[], projection: string, live: number): readonly ReplayRecord[] => {
  const own = replays.filter((replay) => replay.projection === projection);
  const other = own.findIndex(({ kind, from, state }) => kind !== 'replay' || from !== live || state !== 'failed');
  return other < 0 ? own : own.slice(0, other);
};

/**
 * Has what a live generation lacks built again after that failed, with pauses that double: what kept it from its end may be over,
 * and until it is built readers of it are refused. What somebody cancelled or rolled back is left to people.
 */
export const retryFailedReplays = async ({
  postgres,
  projections,
  log,
  clock = systemClock,
}: RetryReplaysDependencies): Promise<void> => {
  const lacking = (await findGenerations(postgres, projections, 'live', 'own')).filter(
    ({ incompleteTables: incompleteTables = [] }) => incompleteTables.length > 0,
  );
  if (lacking.length === 0) return;
  const replays = await readReplays(postgres, looked);
  for (const which of lacking) {
    const failed = failures(replays, which.projection.name, which.generation);
    const [last] = failed;
    if (!last?.endedAt) continue;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failed.length - 1));
    if (clock.now() < last.endedAt.getTime() + pauseMs) continue;
    await planReplaysOfIncomplete(postgres, [which], log, last.verify);
  }
};
