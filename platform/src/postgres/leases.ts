import type { Queryable } from './pool.ts';

/** Who may write a generation of a projection; PostgreSQL's clock decides. */
export interface LeaseKey {
  readonly projection: string;
  readonly generation: number;
}

export interface LeaseStore {
  /** The new epoch, or undefined while somebody else holds it. The same owner takes its own lease over at once. */
  acquire(key: LeaseKey, owner: string, ttlMs: number): Promise<bigint | undefined>;
  /** False when the lease was lost. */
  renew(key: LeaseKey, epoch: bigint, ttlMs: number): Promise<boolean>;
  release(key: LeaseKey, epoch: bigint): Promise<void>;
  /** Forgets it, and its epoch with it: for what is over for good. */
  remove(key: LeaseKey, epoch: bigint): Promise<void>;
}

const until = (parameter: string) => `now() + ${parameter} * interval '1 millisecond'`;

export const createLeaseStore = (postgres: Queryable): LeaseStore => ({
  async acquire({ projection, generation }, owner, ttlMs) {
    const { rows } = await postgres.query<{ epoch: string }>(
      `INSERT INTO leases (projection, generation, owner, epoch, expires_at) VALUES ($1, $2, $3, 1, ${until('$4')})
       ON CONFLICT (projection, generation) DO UPDATE
       SET owner = excluded.owner, epoch = leases.epoch + 1, expires_at = excluded.expires_at
       WHERE leases.expires_at < now() OR leases.owner = excluded.owner
       RETURNING epoch`,
      [projection, generation, owner, ttlMs],
    );
    return rows[0] && BigInt(rows[0].epoch);
  },
  async renew({ projection, generation }, epoch, ttlMs) {
    const { rowCount } = await postgres.query(
      `UPDATE leases SET expires_at = ${until('$4')} WHERE projection = $1 AND generation = $2 AND epoch = $3`,
      [projection, generation, epoch, ttlMs],
    );
    return rowCount === 1;
  },
  async release({ projection, generation }, epoch) {
    await postgres.query(
      'UPDATE leases SET expires_at = now() WHERE projection = $1 AND generation = $2 AND epoch = $3',
      [projection, generation, epoch],
    );
  },
  async remove({ projection, generation }, epoch) {
    await postgres.query('DELETE FROM leases WHERE projection = $1 AND generation = $2 AND epoch = $3', [
      projection,
      generation,
      epoch,
    ]);
  },
});

const standardTtlMs = 15_000;
/** No statement is begun in the last fifth of a lease that could not be renewed. */
const margin = 0.2;

export interface HeldLease {
  readonly epoch: bigint;
  /** By this process's monotonic clock, and with a margin: PostgreSQL's clock decides who is next. */
  isHeld(): boolean;
  release(): Promise<void>;
  /** Gives it back for good: what it was for is over. */
  remove(): Promise<void>;
}

/** Takes a lease and keeps renewing it; undefined while somebody else holds it. */
export const holdLease = async (
  leases: LeaseStore,
  key: LeaseKey,
  owner: string,
  ttlMs = standardTtlMs,
): Promise<HeldLease | undefined> => {
  const safeMs = ttlMs * (1 - margin);
  let askedAt = performance.now();
  const epoch = await leases.acquire(key, owner, ttlMs);
  if (epoch === undefined) return undefined;
  let heldUntil = askedAt + safeMs;
  const renew = async () => {
    askedAt = performance.now();
    const asked = askedAt;
    const held = await leases.renew(key, epoch, ttlMs).catch(() => undefined);
    if (held === true) heldUntil = asked + safeMs;
    if (held === false) heldUntil = 0;
  };
  const timer = setInterval(() => void renew(), ttlMs / 3);
  return {
    epoch,
    isHeld: () => performance.now() < heldUntil,
    async release() {
      clearInterval(timer);
      await leases.release(key, epoch).catch(() => undefined);
    },
    async remove() {
      clearInterval(timer);
      await leases.remove(key, epoch).catch(() => undefined);
    },
  };
};
