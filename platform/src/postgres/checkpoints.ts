import { standsStill } from './holds.ts';
import { inTransaction } from './in-transaction.ts';
import type { LeaseKey } from './leases.ts';
import type { Queryable, Records } from './open-records.ts';
import {
  parkEvents,
  type ParkedEvent,
  type ParkedAhead,
  type Parking,
  readParking,
  type SettledEvents,
  settleParked,
} from './parked-events.ts';
import { parkingGoesOn, stopParking } from './parking-stops.ts';

export interface Checkpoint {
  /** Position of the last event handled; 0 before the first. */
  readonly position: bigint;
  /** How far a batch was begun; above `position` it may be written in part, and is cut there again. */
  readonly begun: bigint;
  readonly savedAtMs: number;
  /** Which log the position belongs to. */
  readonly logId: string;
}

export interface Move extends LeaseKey {
  readonly epoch: bigint;
  /** What PostgreSQL holds now: another value there means somebody else moved it. */
  readonly previous: bigint;
  readonly to: bigint;
  readonly logId: string;
}

export interface Advance extends Move {
  readonly parked: readonly ParkedEvent[];
  readonly settled?: SettledEvents | undefined;
  /** What else happens in the same transaction. */
  readonly also?: (client: Queryable) => Promise<void>;
}

/** `held`: not now, ask again; `lost`: the lease is, stop at once. */
export type Begun = 'begun' | 'held' | 'lost';

export interface Checkpoints {
  read(key: LeaseKey): Promise<Checkpoint>;
  /** Says, before anything is written, up to where a batch goes. */
  begin(move: Move): Promise<Begun>;
  /** Compare-and-set under the lease's epoch, in one step with the parked events. False: the lease is lost, stop at once. */
  advance(advance: Advance): Promise<boolean>;
  /** What the generation has set aside, of that what may be met again. */
  parking(key: LeaseKey, ahead: ParkedAhead): Promise<Parking>;
  /** So many were parked at once that no more are, from this position on, until it is folded or an operator resumes. */
  stopParking(key: LeaseKey, position: bigint): Promise<void>;
}

/** Under the lease, and only from where the checkpoint is believed to be. */
const moved = async (client: Queryable, change: string, move: Move): Promise<boolean> => {
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

export const checkpoints = (records: Records): Checkpoints => ({
  async read({ projection, generation }) {
    const { rows } = await records.query<{ position: string; begun: string; saved_at: Date; log_id: string }>(
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
  begin: (move) =>
    inTransaction(records, async (client) => {
      if (await standsStill(client, move, move.previous)) return 'held';
      // A batch told again from further back must not forget one that was begun further on.
      return (await moved(client, 'begun = greatest(c.begun, $5)', move)) ? 'begun' : 'lost';
    }),
  advance: (advance) =>
    inTransaction(records, async (client) => {
      const held = await moved(client, 'position = $5, saved_at = now()', advance);
      if (!held) return false;
      await parkEvents(client, advance, advance.parked);
      if (advance.settled) await settleParked(client, advance, advance.settled);
      await parkingGoesOn(client, advance, advance.to);
      await advance.also?.(client);
      return true;
    }),
  parking: (key, ahead) => readParking(records, key, ahead),
  stopParking: (key, position) => stopParking(records, key, position),
});
