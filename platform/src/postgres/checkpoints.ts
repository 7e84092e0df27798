import { acknowledgeHold } from './generations.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';
import type { LeaseKey } from './leases.ts';
import {
  type ParkedEvent,
  type ParkedEventFilter,
  parkEvents,
  parkingGoesOn,
  type ParkingState,
  readParking,
  type SettledParkedEvents,
  settleParked,
  stopParking,
} from './parked-events.ts';

export interface Checkpoint {
  /** Position of the last event handled; 0 before the first. */
  readonly position: bigint;
  /** How far a batch was begun; above `position` it may be written in part, and is cut there again. */
  readonly begun: bigint;
  readonly savedAtMs: number;
  /** Which log the position belongs to. */
  readonly logId: string;
}

export interface CheckpointMove extends LeaseKey {
  readonly epoch: bigint;
  /** What PostgreSQL holds now: another value there means somebody else moved it. */
  readonly previous: bigint;
  readonly to: bigint;
  readonly logId: string;
}

export interface CheckpointAdvance extends CheckpointMove {
  readonly parked: readonly ParkedEvent[];
  readonly settled?: SettledParkedEvents | undefined;
  /** What else happens in the same transaction. */
  readonly inTransaction?: (client: Queryable) => Promise<void>;
}

/** `held`: not now, ask again; `lost`: the lease is, stop at once. */
export type BatchStart = 'begun' | 'held' | 'lost';

export interface CheckpointStore {
  read(key: LeaseKey): Promise<Checkpoint>;
  /** Says, before anything is written, up to where a batch goes. */
  beginBatch(move: CheckpointMove): Promise<BatchStart>;
  /** Compare-and-set under the lease's epoch, in one step with the parked events. False: the lease is lost, stop at once. */
  advance(advance: CheckpointAdvance): Promise<boolean>;
  /** What the generation has set aside, of that what may be met again. */
  readParking(key: LeaseKey, ahead: ParkedEventFilter): Promise<ParkingState>;
  /** So many were parked at once that no more are, from this position on, until it is folded or an operator resumes. */
  stopParking(key: LeaseKey, position: bigint): Promise<void>;
}

/** Under the lease, and only from where the checkpoint is believed to be. */
const moved = async (client: Queryable, change: string, move: CheckpointMove): Promise<boolean> => {
  const { projection, generation, epoch, previous, to, logId } = move;
  await client.query(
    `INSERT INTO checkpoints (projection, generation, position, log_id) VALUES ($1, $2, 0, $3) ON CONFLICT DO NOTHING`,
    [projection, generation, logId],
  );
  const { rowCount } = await client.query(
    `UPDATE checkpoints c SET ${change}, epoch = $3, log_id = $6
     FROM (SELECT 1 FROM leases WHERE projection = $1 AND generation = $2 AND epoch = $3 FOR SHARE) AS held
     WHERE c.projection = $1 AND c.generation = $2 AND c.position = $4`,
    [projection, generation, epoch, previous, to, logId],
  );
  return rowCount === 1;
};

export const createCheckpointStore = (postgres: Postgres): CheckpointStore => ({
  async read({ projection, generation }) {
    const { rows } = await postgres.query<{ position: string; begun: string; saved_at: Date; log_id: string }>(
      'SELECT position, begun, saved_at, log_id FROM checkpoints WHERE projection = $1 AND generation = $2',
      [projection, generation],
    );
    const [row] = rows;
    return row
      ? {
          position: BigInt(row.position),
          begun: BigInt(row.begun),
          savedAtMs: row.saved_at.getTime(),
          logId: row.log_id,
        }
      : { position: 0n, begun: 0n, savedAtMs: 0, logId: '' };
  },
  beginBatch: (move) =>
    inTransaction(postgres, async (client) => {
      if (await acknowledgeHold(client, move, move.previous)) return 'held';
      // A batch told again from further back must not forget one that was begun further on.
      return (await moved(client, 'begun = greatest(c.begun, $5)', move)) ? 'begun' : 'lost';
    }),
  advance: (advance) =>
    inTransaction(postgres, async (client) => {
      const held = await moved(client, 'position = $5, saved_at = now()', advance);
      if (!held) return false;
      await parkEvents(client, advance, advance.parked);
      if (advance.settled) await settleParked(client, advance, advance.settled);
      await parkingGoesOn(client, advance, advance.to);
      await advance.inTransaction?.(client);
      return true;
    }),
  readParking: (key, ahead) => readParking(postgres, key, ahead),
  stopParking: (key, position) => stopParking(postgres, key, position),
});
