import type { LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable, replaceNulCharacters as text } from './pool.ts';

/** An item that a projection could not fold and skipped. An event without a list of items is one item. */
export interface ParkedEvent {
  readonly sequence: bigint;
  readonly stream: string;
  readonly type: string;
  readonly error: string;
  /** The item and the metadata of its event as JSON, possibly shortened. */
  readonly raw: string;
}

export interface SettledParkedEvents {
  readonly released: readonly bigint[];
  /** Each entry is complete, because `parked_events` may lack its row after PostgreSQL was restored from a backup. */
  readonly failed: readonly ParkedEvent[];
  readonly discarded: readonly { readonly sequence: bigint; readonly reason: string }[];
}

export interface ParkingState {
  readonly skipped: readonly bigint[];
  /** Items from before an operator last resumed the projection do not count. */
  readonly parkedInLastMinute: number;
  /** Position of the first event that was not parked, because too many items had been parked within a minute. */
  readonly stoppedAt: bigint | undefined;
}

/** Reads only items with a sequence above `after`, because there may be a million parked items. */
export const readParking = async (
  postgres: Queryable,
  { projection, generation, partition = 0 }: LeaseKey,
  after: bigint,
): Promise<ParkingState> => {
  const key = [projection, generation, partition];
  const [skipped, state] = await Promise.all([
    postgres.query<{ sequence: string }>(
      'SELECT sequence FROM parked_events WHERE projection = $1 AND generation = $2 AND partition = $3 AND sequence > $4',
      [...key, after],
    ),
    postgres.query<{ recent: number; stopped_at: string | null }>(
      `SELECT (SELECT count(*)::int FROM parked_events p
               WHERE p.projection = $1 AND p.generation = $2 AND p.partition = $3
               AND p.parked_at > greatest(now() - interval '1 minute', c.parking_from)) AS recent,
         c.parking_stopped_at AS stopped_at
       FROM (VALUES (1)) AS one
         LEFT JOIN checkpoints c ON c.projection = $1 AND c.generation = $2 AND c.partition = $3`,
      key,
    ),
  ]);
  const [row] = state.rows;
  return {
    skipped: skipped.rows.map(({ sequence }) => BigInt(sequence)),
    parkedInLastMinute: row?.recent ?? 0,
    stoppedAt: typeof row?.stopped_at === 'string' ? BigInt(row.stopped_at) : undefined,
  };
};

export const parkedColumns =
  'sequence, stream, type, error, raw, parked_at, state, attempts, tried_at, decision_requested_at, reason';

export const copyParkedEvents = (
  postgres: Postgres,
  { projection, from, to }: { readonly projection: string; readonly from: number; readonly to: number },
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    await client.query('DELETE FROM parked_events WHERE projection = $1 AND generation = $2', [projection, to]);
    const columns = `partition, ${parkedColumns}`;
    await client.query(
      `INSERT INTO parked_events (projection, generation, ${columns})
       SELECT projection, $3, ${columns} FROM parked_events WHERE projection = $1 AND generation = $2`,
      [projection, from, to],
    );
  });

const insertParked = async (
  client: Queryable,
  { projection, generation, partition = 0 }: LeaseKey,
  { sequence, stream, type, error, raw }: ParkedEvent,
  onConflict: string,
) => {
  await client.query(
    `INSERT INTO parked_events AS p (projection, generation, sequence, stream, type, error, raw, partition)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (projection, generation, partition, sequence) DO ${onConflict}`,
    [projection, generation, sequence, text(stream), text(type), text(error), text(raw), partition],
  );
};

export const parkEvents = async (client: Queryable, key: LeaseKey, parked: readonly ParkedEvent[]): Promise<void> => {
  for (const event of parked) await insertParked(client, key, event, 'NOTHING');
};

const updateAfterRetry = `UPDATE SET error = excluded.error, decision_requested_at = NULL, attempts = p.attempts + 1,
  tried_at = now()`;

export const settleParked = async (
  client: Queryable,
  { projection, generation, partition = 0 }: LeaseKey,
  { released, failed, discarded }: SettledParkedEvents,
): Promise<void> => {
  const key = [projection, generation, partition];
  await client.query(
    `DELETE FROM parked_events
     WHERE projection = $1 AND generation = $2 AND partition = $3 AND state = 'parked' AND sequence = ANY($4)`,
    [...key, released],
  );
  for (const event of failed)
    await insertParked(client, { projection, generation, partition }, event, updateAfterRetry);
  for (const { sequence, reason } of discarded)
    await client.query(
      `UPDATE parked_events SET state = 'discarded', reason = $5, decision_requested_at = NULL
       WHERE projection = $1 AND generation = $2 AND partition = $3 AND sequence = $4`,
      [...key, sequence, text(reason)],
    );
};

export const stopParking = async (
  postgres: Queryable,
  { projection, generation, partition = 0 }: LeaseKey,
  position: bigint,
): Promise<void> => {
  await postgres.query(
    `INSERT INTO checkpoints AS c (projection, generation, partition, position, log_id, parking_stopped_at)
     VALUES ($1, $2, $3, 0, '', $4)
     ON CONFLICT (projection, generation, partition)
       DO UPDATE SET parking_stopped_at = coalesce(c.parking_stopped_at, excluded.parking_stopped_at)`,
    [projection, generation, partition, position],
  );
};

export const resumeParking = async (
  client: Queryable,
  { projection, generation, partition = 0 }: LeaseKey,
  upTo: bigint,
): Promise<void> => {
  await client.query(
    `UPDATE checkpoints SET parking_stopped_at = NULL
     WHERE projection = $1 AND generation = $2 AND partition = $3 AND parking_stopped_at <= $4`,
    [projection, generation, partition, upTo],
  );
};
