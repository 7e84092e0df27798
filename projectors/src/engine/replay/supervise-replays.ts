import { setTimeout as sleep } from 'node:timers/promises';
import {
  collectGenerationsToDrop,
  deleteGeneration,
  findReplay,
  type GenerationToDrop,
  readGenerations,
  type ReplayRecord,
  readUnfinishedReplays,
} from '@popsvc/platform/postgres';
import { startSchedule } from '@popsvc/platform/runtime';
import { dropGenerationProgress, dropGenerationTables, retryFailedReplays } from '@popsvc/read-models/generations';
import { isOfLog } from '../event-log.ts';
import type { Projection } from '../projection.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { partitionsOf, withLeases } from './replay-partitions.ts';
import { runReplay } from './run-replay.ts';
import { dropStaleSnapshots, type SnapshotOwner } from './snapshots.ts';

/** Returns false if another process holds a lease of the generation, or if this release does not know the projection or its version. */
const dropGeneration = async (
  dependencies: ReplayDependencies,
  { version, ...key }: GenerationToDrop,
): Promise<boolean> => {
  const { writer, postgres, projections, log } = dependencies;
  const projection = projections.find(({ name }) => name === key.projection);
  // This release may not declare all tables of a generation that a newer release built.
  if (!projection || version > projection.version) return false;
  const { generation } = key;
  return withLeases(dependencies, partitionsOf(dependencies, { projection, generation }), async () => {
    await dropGenerationTables(writer, { projection, generation });
    await dropGenerationProgress(writer, key);
    await deleteGeneration(postgres, key);
    log.info({ ...key }, 'generation dropped');
  });
};

export const dropGenerations = async (dependencies: ReplayDependencies): Promise<void> => {
  for (const key of await collectGenerationsToDrop(dependencies.postgres)) await dropGeneration(dependencies, key);
  const isGoingOn = async ({ replay }: SnapshotOwner) =>
    (await findReplay(dependencies.postgres, replay))?.endedAt === null;
  await dropStaleSnapshots(dependencies.writer, isGoingOn);
};

const everyMs = 1_000;
const eachMinute = '* * * * *';

/**
 * Also resumes replays that another process began. Every minute, drops generations and snapshots that are no longer needed, and retries
 * failed replays of live tables that readers cannot use.
 */
export const superviseReplays = async (given: ReplayDependencies, signal: AbortSignal): Promise<void> => {
  // A process can acquire a lease under its own name again at once, so replays use another name than projection runs.
  const dependencies = { ...given, owner: `${given.owner}/replay` };
  const { postgres, projections, log } = dependencies;
  const running = new Map<number, Promise<void>>();

  const start = (replay: ReplayRecord, projection: Projection) => {
    const done = runReplay(dependencies, replay, projection, signal)
      .then(() => dropGenerations(dependencies))
      .catch((err: unknown) =>
        log.warn({ err, replay: replay.id }, 'replay interrupted; another process will resume it'),
      )
      .finally(() => running.delete(replay.id));
    running.set(replay.id, done);
  };

  const startUnfinished = async () => {
    const waiting = (await readUnfinishedReplays(postgres)).filter(({ id }) => !running.has(id));
    if (waiting.length === 0) return;
    const known = await readGenerations(postgres);
    for (const replay of waiting) {
      const projection = projections.find(({ name }) => name === replay.projection);
      const to = known.find(
        ({ projection: name, generation }) => name === replay.projection && generation === replay.to,
      );
      if (projection && (to?.version ?? 0) <= projection.version) start(replay, projection);
    }
  };

  const cleanUp = async () => {
    await dropGenerations(dependencies);
    await retryFailedReplays({
      ...dependencies,
      mayReplay: (which) => isOfLog(dependencies, which),
    });
  };
  const cleaning = startSchedule('generations', eachMinute, cleanUp, log);
  while (!signal.aborted) {
    await startUnfinished().catch((err: unknown) => log.warn({ err }, 'failed to read unfinished replays'));
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await cleaning.stop();
  await Promise.all(running.values());
};
