import { reloadDictionaries } from '@popsvc/read-models/schema';
import { type ReplayCoordination, type ReplayRecord, switchGenerations } from '@popsvc/platform/postgres';
import type { Projection } from '../projection.ts';
import { findGenerations, type Generation, withReaderLock, pointReadersAt } from '@popsvc/read-models/generations';
import { RetryableReplayError } from './errors.ts';
import type { ReplayDependencies } from './dependencies.ts';
import type { PausedGeneration } from './pause.ts';

/**
 * Readers cache for 250 ms which generation is live. Until all caches have expired, the previous generation stays
 * paused: if it went ahead, a reader could see it, then the new one, and so go back in time.
 */
const lingerMs = 3_000;

const point = async ({ writer, postgres, projections }: ReplayDependencies, which: Generation): Promise<void> => {
  const live = await findGenerations(postgres, projections, 'live');
  const others = live.filter(({ projection }) => projection.name !== which.projection.name);
  // The previous generation may lack tables that are newer than it.
  const kept = await findGenerations(postgres, [which.projection], 'kept');
  const shown = kept.find(({ generation }) => generation === which.generation) ?? which;
  await pointReadersAt(writer, shown, [...others, shown]);
};

/** Dictionaries read the names from the registry's views, and only an explicit reload makes them read again. */
export const reloadNames = async ({ writer }: ReplayDependencies, { name }: Projection): Promise<void> => {
  if (name === 'registry') await reloadDictionaries(writer);
};

/** Points readers at the generation that is live according to PostgreSQL. */
export const pointReadersToLive = (parts: ReplayDependencies, projection: Projection): Promise<void> =>
  withReaderLock(parts.postgres, async () => {
    const live = await findGenerations(parts.postgres, [projection], 'live');
    for (const which of live) await point(parts, which);
  });

/**
 * Points readers at the new generation, then switches it live in PostgreSQL, which ends the replay in the same
 * transaction. A process killed in between leaves readers with correct rows that are stale until another process
 * resumes the replay.
 */
export const switchReaders = (
  parts: ReplayDependencies,
  { conducting, replay, projection }: { conducting: ReplayCoordination; replay: ReplayRecord; projection: Projection },
  paused: PausedGeneration,
): Promise<void> =>
  withReaderLock(parts.postgres, async () => {
    paused.assertPaused();
    await point(parts, { projection, generation: replay.to });
    paused.assertPaused();
    const { from, to } = replay;
    const pausedMs = replay.pausedMs + paused.sinceMs();
    const how = { keepMs: parts.keepMs, lingerMs, stoppedBy: paused.by, pausedMs };
    if (!(await switchGenerations(parts.postgres, { ...conducting, from, to, ...how })))
      throw new RetryableReplayError('the live generation may have moved while readers were pointed at the new one');
    paused.keepPaused();
  });
