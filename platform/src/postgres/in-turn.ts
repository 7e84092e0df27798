import { setTimeout as sleep } from 'node:timers/promises';
import { tryWithLock } from './exclusively.ts';
import type { Postgres } from './open-records.ts';

const lookEveryMs = 100;

/** Does the work when nobody else, in any process, holds the same lock; throws when that takes too long. See `exclusively`. */
export const withLock = async <T>(
  postgres: Postgres,
  lock: string,
  patienceMs: number,
  work: () => Promise<T>,
): Promise<T> => {
  const until = performance.now() + patienceMs;
  for (;;) {
    const had = await tryWithLock(postgres, lock, work);
    if (had) return had.done;
    if (performance.now() >= until) throw new Error(`lock ${lock} was not free for ${patienceMs} ms`);
    await sleep(lookEveryMs);
  }
};
