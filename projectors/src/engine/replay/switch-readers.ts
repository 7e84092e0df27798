import { reloadDictionaries } from '@popsvc/read-models/schema';
import { type ReplayCoordination, type ReplayRecord, switchGenerations } from '@popsvc/platform/postgres';
import type { Projection } from '../projection.ts';
import { findGenerations, type Generation, withReaderLock, pointReadersAt } from '@popsvc/read-models/generations';
import { RetryableReplayError } from './errors.ts';
import type { ReplayDependencies } from './dependencies.ts';
import type { PausedGeneration } from './pause.ts';

/**
 * Readers believe for a quarter of a second which generation is live. Until all of them know better, the one before stands
 * still: otherwise it might be ahead of the new one, and a reader would see it, then the new one, and so a step back.
 */
const lingerMs = 3_000;

const point = async ({ writer, postgres, projections }: ReplayDependencies, which: Generation): Promise<void> => {
  const live = await findGenerations(postgres, projections, 'live');
  const others = live.filter(({ projection }) => projection.name !== which.projection.name);
  // What was live before may lack tables that are newer than it.
  const kept = await findGenerations(postgres, [which.projection], 'kept');
  const shown = kept.find(({ generation }) => generation === which.generation) ?? which;
  await pointReadersAt(writer, shown, [...others, shown]);
};

/** Names are looked up in what the registry's views show, and nothing else makes the dictionaries read that again. */
export const reloadNames = async ({ writer }: ReplayDependencies, { name }: Projection): Promise<void> => {
  if (name === 'registry') await reloadDictionaries(writer);
};

/** Points readers at what PostgreSQL says is live, wherever they were pointed before. */
export const pointReadersToLive = (parts: ReplayDependencies, projection: Projection): Promise<void> =>
  withReaderLock(parts.postgres, async () => {
    const live = await findGenerations(parts.postgres, [projection], 'live');
    for (const which of live) await point(parts, which);
  });

/**
 * Readers first, then PostgreSQL, which ends the replay in the same step. Who dies between the two leaves readers with rows that
 * are right and grow no older than it takes another to come; the live generation, by then ahead, is what they come to next.
 */
export const switchReaders = (
  parts: ReplayDependencies,
  { conducting, replay, projection }: { conducting: ReplayCoordination; replay: ReplayRecord; projection: Projection },
  still: PausedGeneration,
): Promise<void> =>
  withReaderLock(parts.postgres, async () => {
    still.assertPaused();
    await point(parts, { projection, generation: replay.to });
    still.assertPaused();
    const { from, to } = replay;
    const pausedMs = replay.pausedMs + still.sinceMs();
    const how = { keepMs: parts.keepMs, lingerMs, stoppedBy: still.by, pausedMs };
    if (!(await switchGenerations(parts.postgres, { ...conducting, from, to, ...how })))
      throw new RetryableReplayError('the live generation may have moved while readers were pointed at the new one');
    still.keepPaused();
  });
