import type { Queryable } from './pool.ts';

export interface GenerationKey {
  readonly projection: string;
  readonly generation: number;
}

export interface LeaseKey extends GenerationKey {
  /** Default 0: the only partition of a projection that is not split by network. */
  readonly partition?: number;
}

/** `preferred` also requests a lease that another process owns. `other` waits until an expired lease has been free for 5 s. */
export type LeasePreference = 'preferred' | 'other' | 'none';

const graceMs = 5_000;
/** A request for a lease is valid for this long. The preferred owner repeats the request each second. */
const wantedSeconds = 5;

export interface LeaseStore {
  /**
   * Returns the new epoch, or undefined if the lease is not free. Its owner can acquire it again, unless `preference` is `other`.
   */
  acquire(key: LeaseKey, owner: string, ttlMs: number, preference?: LeasePreference): Promise<bigint | undefined>;
  /** Lists the leases of `owner` that their preferred owners have recently requested. */
  readWanted(owner: string): Promise<readonly Required<LeaseKey>[]>;
  /** Returns false if the lease was lost. */
  renew(key: LeaseKey, epoch: bigint, ttlMs: number): Promise<boolean>;
  release(key: LeaseKey, epoch: bigint): Promise<void>;
}

const expiry = (parameter: string) => `now() + ${parameter} * interval '1 millisecond'`;

export interface LeaseStoreOptions {
  /** `acquire` returns undefined if another number is recorded in PostgreSQL. Undefined: `acquire` does not compare the numbers. */
  readonly partitions?: number | undefined;
}

export const createLeaseStore = (postgres: Queryable, { partitions }: LeaseStoreOptions = {}): LeaseStore => ({
  async acquire({ projection, generation, partition = 0 }, owner, ttlMs, preference = 'none') {
    const { rows } = await postgres.query<{ epoch: string }>(
      // Locks the number of partitions, so that the number does not change before the lease is acquired.
      `WITH recorded AS (SELECT partitions FROM partitioning FOR SHARE)
       INSERT INTO leases (projection, generation, partition, owner, epoch, expires_at)
       SELECT $1, $2, $5::int, $3, 1, ${expiry('$4::float8')}
       WHERE $7::int IS NULL OR NOT EXISTS (SELECT 1 FROM recorded WHERE partitions <> $7)
       ON CONFLICT (projection, generation, partition) DO UPDATE
       SET owner = excluded.owner, epoch = leases.epoch + 1, expires_at = excluded.expires_at, wanted_by = NULL, wanted_at = NULL
       WHERE leases.expires_at < now() - $6 * interval '1 millisecond' OR leases.owner = excluded.owner AND $6 = 0
       RETURNING epoch`,
      [projection, generation, owner, ttlMs, partition, preference === 'other' ? graceMs : 0, partitions ?? null],
    );
    if (rows[0]) return BigInt(rows[0].epoch);
    if (preference === 'preferred')
      await postgres.query(
        `UPDATE leases SET wanted_by = $4, wanted_at = now() WHERE projection = $1 AND generation = $2 AND partition = $3`,
        [projection, generation, partition, owner],
      );
    return undefined;
  },
  async readWanted(owner) {
    const { rows } = await postgres.query<Required<LeaseKey>>(
      `SELECT projection, generation, partition FROM leases
       WHERE owner = $1 AND wanted_by <> $1 AND wanted_at > now() - interval '${wantedSeconds} seconds'`,
      [owner],
    );
    return rows;
  },
  async renew({ projection, generation, partition = 0 }, epoch, ttlMs) {
    const { rowCount } = await postgres.query(
      `UPDATE leases SET expires_at = ${expiry('$5')}
       WHERE projection = $1 AND generation = $2 AND partition = $3 AND epoch = $4`,
      [projection, generation, partition, epoch, ttlMs],
    );
    return rowCount === 1;
  },
  async release({ projection, generation, partition = 0 }, epoch) {
    await postgres.query(
      'UPDATE leases SET expires_at = now() WHERE projection = $1 AND generation = $2 AND partition = $3 AND epoch = $4',
      [projection, generation, partition, epoch],
    );
  },
});

export const leaseTtlMs = 15_000;
/** The owner stops relying on the lease early, because its clock may run slower than that of PostgreSQL. */
const safetyMargin = 0.2;

export interface RenewedLease {
  readonly isHeld: () => boolean;
  readonly stop: () => void;
}

/** `requestedAtMs`: when the lease was requested, by `performance.now()`. `renew` returns false if another owner has the lease. */
export const keepRenewed = (renew: () => Promise<boolean>, requestedAtMs: number, ttlMs = leaseTtlMs): RenewedLease => {
  const safeMs = ttlMs * (1 - safetyMargin);
  let heldUntil = requestedAtMs + safeMs;
  const renewOnce = async () => {
    const renewedAt = performance.now();
    const isRenewed = await renew().catch(() => undefined);
    if (isRenewed === true) heldUntil = renewedAt + safeMs;
    if (isRenewed === false) heldUntil = 0;
  };
  const timer = setInterval(() => void renewOnce(), ttlMs / 3);
  return { isHeld: () => performance.now() < heldUntil, stop: () => clearInterval(timer) };
};

export interface HeldLease extends Pick<RenewedLease, 'isHeld'> {
  readonly epoch: bigint;
  release(): Promise<void>;
}

/** Renews the lease until it is released. Returns undefined if the lease is not free. */
export const holdLease = async (
  leases: LeaseStore,
  key: LeaseKey,
  owner: string,
  ttlMs = leaseTtlMs,
  preference: LeasePreference = 'none',
): Promise<HeldLease | undefined> => {
  const requestedAtMs = performance.now();
  const epoch = await leases.acquire(key, owner, ttlMs, preference);
  if (epoch === undefined) return undefined;
  const { isHeld, stop } = keepRenewed(() => leases.renew(key, epoch, ttlMs), requestedAtMs, ttlMs);
  return {
    epoch,
    isHeld,
    async release() {
      stop();
      await leases.release(key, epoch).catch(() => undefined);
    },
  };
};
