import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from './pool.ts';

/** Keys of the advisory locks; each must be different. During an upgrade, processes of two releases use them, so a key never changes. */
export const lockKeys = {
  migrations: '123623930295907',
  signingKeys: '123623930295908',
  registry: '123623930295909',
  webhookSecrets: '123623930295910',
  partitions: '7305211895',
  /** With several shards, two digits for the shard follow. */
  readers: '7305211894',
} as const;

/** Returns undefined if another connection holds the lock. `lock`: one of `lockKeys`. */
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
    // If the unlock statement failed, closing the connection releases its locks.
    client.release(broken);
  }
};

const pollMs = 100;

/** Throws if the lock is not free within `timeoutMs`. */
export const withLock = async <T>(
  postgres: Postgres,
  lock: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const result = await tryWithLock(postgres, lock, work);
    if (result) return result.done;
    if (performance.now() >= deadline) throw new Error(`advisory lock ${lock} was not free within ${timeoutMs} ms`);
    await sleep(pollMs);
  }
};
