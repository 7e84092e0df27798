import { type ReplayCoordination, type ReplayRecord, switchGenerations } from '@popsvc/platform/postgres';
import type { Projection } from '../projection.ts';
import {
  countPartitions,
  findGenerations,
  type Generation,
  withReaderLock,
  pointReadersAt,
  recordLiveGeneration,
} from '@popsvc/read-models/generations';
import { RetryableReplayError } from './errors.ts';
import type { ReplayDependencies } from './dependencies.ts';
import type { PausedGeneration } from './pause.ts';

/**
 * Readers cache the number of the live generation for at most 1.25 s. If the former generation continued, they could see its newer rows
 * before older rows of the new one.
 */
const lingerMs = 3_000;

const point = async (
  { writer, postgres, projections, partitions = 1 }: ReplayDependencies,
  which: Generation,
): Promise<void> => {
  const live = await findGenerations(postgres, projections, 'live');
  const kept = await findGenerations(postgres, projections, 'kept');
  const isSameProjection = ({ projection }: Generation) => projection.name === which.projection.name;
  const isShown = (each: Generation) => isSameProjection(each) && each.generation === which.generation;
  // A kept generation may lack tables that were added to the schema after it was built. Its record lists them.
  const shown = kept.find(isShown) ?? { ...which, partitions: countPartitions(which.projection, partitions) };
  if (!live.some(isShown)) await recordLiveGeneration(writer, shown);
  await pointReadersAt(writer, shown, {
    live: [...live.filter((each) => !isSameProjection(each)), shown],
    former: [...live.filter(isSameProjection), ...kept].filter((each) => !isShown(each)),
  });
};

export const pointReadersToLive = (dependencies: ReplayDependencies, projection: Projection): Promise<void> =>
  withReaderLock(dependencies.postgres, dependencies.writer.shard, async () => {
    const live = await findGenerations(dependencies.postgres, [projection], 'live');
    for (const which of live) await point(dependencies, which);
  });

/**
 * Switches readers before PostgreSQL: a process that is killed in between leaves correct rows, which are not updated until the replay
 * resumes. Throws `RetryableReplayError` if the pause ended too early or another process runs the replay.
 */
export const switchReaders = (
  dependencies: ReplayDependencies,
  {
    coordination,
    replay,
    projection,
  }: { coordination: ReplayCoordination; replay: ReplayRecord; projection: Projection },
  paused: PausedGeneration,
): Promise<void> =>
  withReaderLock(dependencies.postgres, dependencies.writer.shard, async () => {
    paused.assertPaused();
    await point(dependencies, { projection, generation: replay.to });
    paused.assertPaused();
    const { from, to } = replay;
    const pausedMs = replay.pausedMs + paused.sinceMs();
    const how = { keepMs: dependencies.keepMs, lingerMs, stoppedBy: paused.by, pausedMs };
    if (!(await switchGenerations(dependencies.postgres, { ...coordination, from, to, ...how })))
      throw new RetryableReplayError('the live generation may have advanced while readers were pointed at the new one');
    paused.keepPaused();
  });
