import { setTimeout as sleep } from 'node:timers/promises';
import { readGenerations, type ReplayRecord, unfinishedReplays } from '@popsvc/platform/postgres';
import { startSchedule } from '@popsvc/platform/runtime';
import type { Projection } from '../projection.ts';
import { runReplay } from './conducting.ts';
import { retryFailedReplays } from '@popsvc/read-models/generations';
import { dropGenerations } from './drop-generations.ts';
import type { ReplayDependencies } from './replay-parts.ts';

const everyMs = 1_000;
const eachMinute = '* * * * *';

/**
 * Conducts every replay that is planned and that nobody else conducts, and drops what is of no use any more, for as long as the
 * signal allows. Whatever process planned one, any that knows the projection goes on with it.
 */
export const superviseReplays = async (given: ReplayDependencies, signal: AbortSignal): Promise<void> => {
  // Under a name of its own: the leases of what is built are not those of what this process keeps up.
  const parts = { ...given, owner: `${given.owner}/replay` };
  const { postgres, projections, log } = parts;
  const running = new Map<number, Promise<void>>();

  const start = (replay: ReplayRecord, projection: Projection) => {
    const done = runReplay(parts, replay, projection, signal)
      .then(() => dropGenerations(parts))
      .catch((err: unknown) => log.warn({ err, replay: replay.id }, 'a replay is left to others'))
      .finally(() => running.delete(replay.id));
    running.set(replay.id, done);
  };

  const look = async () => {
    const waiting = (await unfinishedReplays(postgres)).filter(({ id }) => !running.has(id));
    if (waiting.length === 0) return;
    const known = await readGenerations(postgres);
    for (const replay of waiting) {
      const projection = projections.find(({ name }) => name === replay.projection);
      const to = known.find(
        ({ projection: name, generation }) => name === replay.projection && generation === replay.to,
      );
      // A newer process asked for it, and builds what this one does not know of.
      if (projection && (to?.version ?? 0) <= projection.version) start(replay, projection);
    }
  };

  const tidy = async () => {
    await dropGenerations(parts);
    await retryFailedReplays(parts);
  };
  const tidying = startSchedule('generations', eachMinute, tidy, log);
  while (!signal.aborted) {
    await look().catch((err: unknown) => log.warn({ err }, 'which replays wait cannot be read'));
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await tidying.stop();
  await Promise.all(running.values());
};
