import type { Queryable } from './pool.ts';

/** Identifies a generation of a projection, and the lease that permits writing to it. */
export interface LeaseKey {
  readonly projection: string;
  readonly generation: number;
}

/** Leases in PostgreSQL. The clock of PostgreSQL decides when a lease expires. */
export interface LeaseStore {
  /**
   * Acquires a lease and returns its new epoch, or undefined if another owner holds it. An owner that already holds the lease
   * can reacquire it without waiting.
   */
  acquire(key: LeaseKey, owner: string, ttlMs: number): Promise<bigint | undefined>;
  /** Extends a lease. Returns false if the lease was lost. */
  renew(key: LeaseKey, epoch: bigint, ttlMs: number): Promise<boolean>;
  release(key: LeaseKey, epoch: bigint): Promise<void>;
  /** Deletes a lease and its epoch. Call this only for a lease that will never be needed again. */
  remove(key: LeaseKey, epoch: bigint): Promise<void>;
}

const expiry = (parameter: string) => `now() + ${parameter} * interval '1 millisecond'`;

export const createLeaseStore = (postgres: Queryable): LeaseStore => ({
  async acquire({ projection, generation }, owner, ttlMs) {
    const { rows } = await postgres.query<{ epoch: string }>(
      `INSERT INTO leases (projection, generation, owner, epoch, expires_at) VALUES ($1, $2, $3, 1, ${expiry('$4')})
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
      `UPDATE leases SET expires_at = ${expiry('$4')} WHERE projection = $1 AND generation = $2 AND epoch = $3`,
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

const defaultTtlMs = 15_000;
/**
 * When only this fraction of a lease's duration remains, the owner stops relying on the lease, because the clocks of PostgreSQL
 * and this process may run at different speeds.
 */
const safetyMargin = 0.2;

export interface HeldLease {
  readonly epoch: bigint;
  /** Returns whether this process can still rely on the lease, according to its monotonic clock and with a safety margin. */
  isHeld(): boolean;
  release(): Promise<void>;
  /** Deletes the lease. Call this only for a lease that will never be needed again. */
  remove(): Promise<void>;
}

/** Acquires a lease and renews it until it is released. Returns undefined if another owner holds it. */
export const holdLease = async (
  leases: LeaseStore,
  key: LeaseKey,
  owner: string,
  ttlMs = defaultTtlMs,
): Promise<HeldLease | undefined> => {
  const safeMs = ttlMs * (1 - safetyMargin);
  const requestedAt = performance.now();
  const epoch = await leases.acquire(key, owner, ttlMs);
  if (epoch === undefined) return undefined;
  let heldUntil = requestedAt + safeMs;
  const renew = async () => {
    const renewedAt = performance.now();
    const isRenewed = await leases.renew(key, epoch, ttlMs).catch(() => undefined);
    if (isRenewed === true) heldUntil = renewedAt + safeMs;
    if (isRenewed === false) heldUntil = 0;
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
