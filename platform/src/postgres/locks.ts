import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from './pool.ts';

/**
 * Does the work unless somebody else, in any process, holds the same lock; then undefined. The lock belongs to a connection
 * of its own, so it ends with the process that holds it. `lock`: any number that no other use in this database has.
 */
export const tryWithLock = async <T>(
  postgres: Postgres,
  lock: string,
  work: () => Promise<T>,
): Promise<{ readonly done: T } | undefined> => {
  const client = await postgres.connect();
  let broken = true;
  try {
    const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1::bigint) AS held', [lock]);
    const held = rows[0]?.held === true;
    try {
      return held ? { done: await work() } : undefined;
    } finally {
      if (held) await client.query('SELECT pg_advisory_unlock($1::bigint)', [lock]);
      broken = false;
    }
  } finally {
    // A connection that could not give the lock back is closed, which gives it back.
    client.release(broken);
  }
};

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
