import type { LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable, replaceNulCharacters as text } from './pool.ts';

/**
 * An item of the log that a projection could not fold: an item of an event with a list, or an event without one. The projection
 * skipped it in order to continue with the following ones.
 */
export interface ParkedEvent {
  readonly sequence: bigint;
  readonly stream: string;
  readonly type: string;
  readonly error: string;
  /** The item and the metadata of its event as JSON, possibly shortened. */
  readonly raw: string;
  /**
   * Position of an earlier event in the same stream that is also parked and must be folded first. If set, the projection has not
   * tried to fold this event.
   */
  readonly behind?: bigint | undefined;
}

/** Outcomes of decisions on parked events. */
export interface SettledParkedEvents {
  /** Positions of events that were folded and are no longer parked. */
  readonly released: readonly bigint[];
  /**
   * Events that could not be folded and stay parked. Each entry is complete, because the table `parked_events` may lack the
   * event's row after PostgreSQL was restored from a backup.
   */
  readonly failed: readonly ParkedEvent[];
  readonly discarded: readonly { readonly sequence: bigint; readonly reason: string }[];
}

/**
 * Selects the parked events that a projection needs in order to continue reading the log. The remaining parked events are not
 * loaded, because a generation may have a million of them.
 */
export interface ParkedEventFilter {
  /** Selects all parked events after this sequence. */
  readonly after: bigint;
  /** Selects all parked events of streams with these prefixes. */
  readonly orderedPrefixes: readonly string[];
}

/** The selected parked events of a generation. */
export interface ParkingState {
  readonly events: readonly (Pick<ParkedEvent, 'sequence' | 'stream'> & { readonly state: 'parked' | 'discarded' })[];
  /** Number of events that were parked in the last minute, excluding events that only wait for an earlier event. */
  readonly parkedInLastMinute: number;
  /**
   * Position of the first event that could not be parked because too many items had been parked within a minute. Undefined while
   * parking is allowed.
   */
  readonly stoppedAt: bigint | undefined;
}

export const readParking = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  { after, orderedPrefixes }: ParkedEventFilter,
): Promise<ParkingState> => {
  const key = [projection, generation];
  const [events, state] = await Promise.all([
    postgres.query<{ sequence: string; stream: string; state: 'parked' | 'discarded' }>(
      `SELECT sequence, stream, state FROM parked_events
       WHERE projection = $1 AND generation = $2 AND (sequence > $3 OR stream LIKE ANY($4)) ORDER BY sequence`,
      [...key, after, orderedPrefixes.map((prefix) => `${prefix}%`)],
    ),
    postgres.query<{ recent: number; stopped_at: string | null }>(
      `SELECT (SELECT count(*)::int FROM parked_events p
               WHERE p.projection = $1 AND p.generation = $2 AND p.behind IS NULL
               AND p.parked_at > greatest(now() - interval '1 minute', g.parking_from)) AS recent,
         g.parking_stopped_at AS stopped_at
       FROM (VALUES (1)) AS one LEFT JOIN generations g ON g.projection = $1 AND g.generation = $2`,
      key,
    ),
  ]);
  const [row] = state.rows;
  return {
    events: events.rows.map(({ sequence, ...event }) => ({ ...event, sequence: BigInt(sequence) })),
    parkedInLastMinute: row?.recent ?? 0,
    stoppedAt: typeof row?.stopped_at === 'string' ? BigInt(row.stopped_at) : undefined,
  };
};

/** Replaces the parked and discarded events of the generation `to` by those of the generation `from`. */
export const copyParkedEvents = (
  postgres: Postgres,
  { projection, from, to }: { readonly projection: string; readonly from: number; readonly to: number },
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    await client.query('DELETE FROM parked_events WHERE projection = $1 AND generation = $2', [projection, to]);
    const columns =
      'sequence, stream, type, error, raw, parked_at, state, attempts, tried_at, behind, decision_requested_at, reason';
    await client.query(
      `INSERT INTO parked_events (projection, generation, ${columns})
       SELECT projection, $3, ${columns} FROM parked_events WHERE projection = $1 AND generation = $2`,
      [projection, from, to],
    );
  });

/** Inserts a parked event. `onConflict` is the SQL action to take if the event is already parked. */
const insertParked = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  { sequence, stream, type, error, raw, behind }: ParkedEvent,
  onConflict: string,
) => {
  await client.query(
    `INSERT INTO parked_events AS p (projection, generation, sequence, stream, type, error, raw, behind, attempts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $8::bigint IS NULL THEN 1 ELSE 0 END)
     ON CONFLICT (projection, generation, sequence) DO ${onConflict}`,
    [projection, generation, sequence, text(stream), text(type), text(error), text(raw), behind ?? null],
  );
};

export const parkEvents = async (client: Queryable, key: LeaseKey, parked: readonly ParkedEvent[]): Promise<void> => {
  for (const event of parked) await insertParked(client, key, event, 'NOTHING');
};

/**
 * SQL action after a failed retry. An event with `behind` was not tried, because it waits for an earlier event, so its attempt
 * count stays the same.
 */
const updateAfterRetry = `UPDATE SET error = excluded.error, behind = excluded.behind, decision_requested_at = NULL,
  attempts = p.attempts + excluded.attempts,
  tried_at = CASE WHEN excluded.behind IS NULL THEN now() ELSE p.tried_at END`;

export const settleParked = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  { released, failed, discarded }: SettledParkedEvents,
): Promise<void> => {
  const key = [projection, generation];
  await client.query(
    `DELETE FROM parked_events WHERE projection = $1 AND generation = $2 AND state = 'parked' AND sequence = ANY($3)`,
    [...key, released],
  );
  for (const event of failed) await insertParked(client, { projection, generation }, event, updateAfterRetry);
  for (const { sequence, reason } of discarded)
    await client.query(
      `UPDATE parked_events SET state = 'discarded', reason = $4, decision_requested_at = NULL
       WHERE projection = $1 AND generation = $2 AND sequence = $3`,
      [...key, sequence, text(reason)],
    );
};

/**
 * Stops parking in a generation because too many events were parked. `position` is the position of the first event that was not
 * parked.
 */
export const stopParking = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  position: bigint,
): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET parking_stopped_at = coalesce(parking_stopped_at, $3)
     WHERE projection = $1 AND generation = $2`,
    [projection, generation, position],
  );
};

/**
 * Allows parking again if it stopped at a position up to and including `upTo`. The event at that position has been folded or
 * skipped since then.
 */
export const resumeParking = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  upTo: bigint,
): Promise<void> => {
  await client.query(
    `UPDATE generations SET parking_stopped_at = NULL
     WHERE projection = $1 AND generation = $2 AND parking_stopped_at <= $3`,
    [projection, generation, upTo],
  );
};
