import { acknowledgeHold } from './generations.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';
import type { LeaseKey } from './leases.ts';
import {
  type ParkedEvent,
  parkEvents,
  resumeParking,
  type ParkingState,
  readParking,
  type SettledParkedEvents,
  settleParked,
  stopParking,
} from './parked-events.ts';

export interface Checkpoint {
  /** Position of the last handled event; 0 if none was handled. */
  readonly position: bigint;
  /**
   * End of the last begun batch. If it is above `position`, that batch may be partly written, and the next batch must end there,
   * too.
   */
  readonly begun: bigint;
  readonly savedAtMs: number;
  readonly logId: string;
  /**
   * The last handled event that is not a probe of the freshness. Another event at its position means that the log was repaired or
   * restored.
   */
  readonly event: HandledEvent | undefined;
  /** The parts in the table `table_parts` contain the rows of all events up to this position; 0 if no list is stored. */
  readonly partsPosition: bigint;
  /** Positions at which the next batches must end, after a change of the number of partitions. */
  readonly cuts: readonly bigint[];
}

export interface HandledEvent {
  readonly position: bigint;
  readonly id: string;
}

export interface CheckpointMove extends LeaseKey {
  readonly epoch: bigint;
  /** If another position is stored, the move has no effect. */
  readonly previous: bigint;
  readonly to: bigint;
  readonly logId: string;
}

export interface CheckpointAdvance extends CheckpointMove {
  readonly parked: readonly ParkedEvent[];
  readonly settled?: SettledParkedEvents | undefined;
  /** The last event up to `to` that is not a probe; undefined: none since the previous checkpoint. */
  readonly event?: HandledEvent | undefined;
  readonly inTransaction?: (client: Queryable) => Promise<void>;
}

/** `held`: the generation is on hold; retry later. `lost`: the lease was lost or the checkpoint was moved; stop at once. */
export type BatchStart = 'begun' | 'held' | 'lost';

export interface CheckpointStore {
  read(key: LeaseKey): Promise<Checkpoint>;
  /** Records the end of a batch before any part of the batch is written. */
  beginBatch(move: CheckpointMove): Promise<BatchStart>;
  /** Returns false and moves nothing if the lease was lost or the checkpoint was moved. The caller must then stop at once. */
  advance(advance: CheckpointAdvance): Promise<boolean>;
  readParking(key: LeaseKey, after: bigint): Promise<ParkingState>;
  /** `position`: that of the first event that was not parked. */
  stopParking(key: LeaseKey, position: bigint): Promise<void>;
}

/** `values`: the values of the placeholders in `change`, from $8. */
const updateCheckpoint = async (
  client: Queryable,
  change: string,
  move: CheckpointMove,
  values: readonly unknown[] = [],
): Promise<boolean> => {
  const { projection, generation, partition = 0, epoch, previous, to, logId } = move;
  await client.query(
    `INSERT INTO checkpoints (projection, generation, partition, position, log_id) VALUES ($1, $2, $3, 0, $4)
     ON CONFLICT DO NOTHING`,
    [projection, generation, partition, logId],
  );
  const { rowCount } = await client.query(
    `UPDATE checkpoints c SET ${change}, epoch = $3, log_id = $6
     FROM (SELECT 1 FROM leases
       WHERE projection = $1 AND generation = $2 AND partition = $7 AND epoch = $3 FOR SHARE) AS held
     WHERE c.projection = $1 AND c.generation = $2 AND c.partition = $7 AND c.position = $4`,
    [projection, generation, epoch, previous, to, logId, partition, ...values],
  );
  return rowCount === 1;
};

interface StoredCheckpoint {
  readonly position: string;
  readonly begun: string;
  readonly saved_at: Date;
  readonly log_id: string;
  readonly event_position: string;
  readonly event_id: string | null;
  readonly parts_position: string;
  readonly cuts: readonly string[];
}

export const createCheckpointStore = (postgres: Postgres): CheckpointStore => ({
  async read({ projection, generation, partition = 0 }) {
    const { rows } = await postgres.query<StoredCheckpoint>(
      `SELECT position, begun, saved_at, log_id, event_position, event_id, parts_position, cuts FROM checkpoints
       WHERE projection = $1 AND generation = $2 AND partition = $3`,
      [projection, generation, partition],
    );
    const [row] = rows;
    return row
      ? {
          position: BigInt(row.position),
          begun: BigInt(row.begun),
          savedAtMs: row.saved_at.getTime(),
          logId: row.log_id,
          event: row.event_id === null ? undefined : { position: BigInt(row.event_position), id: row.event_id },
          partsPosition: BigInt(row.parts_position),
          cuts: row.cuts.map(BigInt),
        }
      : { position: 0n, begun: 0n, savedAtMs: 0, logId: '', event: undefined, partsPosition: 0n, cuts: [] };
  },
  beginBatch: (move) =>
    inTransaction(postgres, async (client) => {
      if (await acknowledgeHold(client, move, move.previous)) return 'held';
      // `begun` never decreases, because an earlier, longer batch may have been partly written.
      return (await updateCheckpoint(client, 'begun = greatest(c.begun, $5)', move)) ? 'begun' : 'lost';
    }),
  advance: (advance) =>
    inTransaction(postgres, async (client) => {
      const { event } = advance;
      const change = event
        ? 'position = $5, saved_at = now(), event_position = $8, event_id = $9'
        : 'position = $5, saved_at = now()';
      const isMoved = await updateCheckpoint(client, change, advance, event ? [event.position, event.id] : []);
      if (!isMoved) return false;
      await parkEvents(client, advance, advance.parked);
      if (advance.settled) await settleParked(client, advance, advance.settled);
      await resumeParking(client, advance, advance.to);
      await advance.inTransaction?.(client);
      return true;
    }),
  readParking: (key, after) => readParking(postgres, key, after),
  stopParking: (key, position) => stopParking(postgres, key, position),
});
