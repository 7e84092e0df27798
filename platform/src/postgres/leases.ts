import type { Queryable } from './open-records.ts';

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
