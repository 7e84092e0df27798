import type { LeaseKey } from './leases.ts';
import { type Queryable, replaceNulCharacters as text } from './pool.ts';

/** An event that could not be folded, set aside so that the rest flows. */
export interface ParkedEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly type: string;
  readonly error: string;
  /** Data and metadata as JSON; the log has them whole. */
  readonly raw: string;
  /** The parked event of its stream it stands behind; itself it was not tried. */
  readonly behind?: bigint | undefined;
}

/** What became of events that were parked. */
export interface SettledParkedEvents {
  /** Folded, and parked no more. */
  readonly released: readonly bigint[];
  /** Parked still, or again: nothing may be known of them here when PostgreSQL was restored. */
  readonly failed: readonly ParkedEvent[];
  readonly discarded: readonly { readonly position: bigint; readonly reason: string }[];
}

/** Of what is set aside, that which may be met again: a million facts that lie behind need not be known. */
export interface ParkedEventFilter {
  /** All that is further on in the log. */
  readonly after: bigint;
  /** Of streams that begin with one of these, everything. */
  readonly orderedPrefixes: readonly string[];
}

/** What a generation has set aside, as far as it was asked for. */
export interface ParkingState {
  readonly events: readonly (Pick<ParkedEvent, 'position' | 'stream'> & { readonly state: 'parked' | 'discarded' })[];
  /** How many were parked in the last minute because of themselves. */
  readonly parkedInLastMinute: number;
  /** No more are parked: there were too many at once, and this is the position of the first that was not. */
  readonly stoppedAt: bigint | undefined;
}

export const readParking = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  { after, orderedPrefixes }: ParkedEventFilter,
): Promise<ParkingState> => {
  const of = [projection, generation];
  const [events, state] = await Promise.all([
    postgres.query<{ position: string; stream: string; state: 'parked' | 'discarded' }>(
      `SELECT position, stream, state FROM parked_events
       WHERE projection = $1 AND generation = $2 AND (position > $3 OR stream LIKE ANY($4)) ORDER BY position`,
      [...of, after, orderedPrefixes.map((prefix) => `${prefix}%`)],
    ),
    postgres.query<{ lately: number; stopped_at: string | null }>(
      `SELECT (SELECT count(*)::int FROM parked_events p
               WHERE p.projection = $1 AND p.generation = $2 AND p.behind IS NULL
               AND p.parked_at > greatest(now() - interval '1 minute', g.parking_from)) AS lately,
         g.parking_stopped_at AS stopped_at
       FROM (VALUES (1)) AS one LEFT JOIN generations g ON g.projection = $1 AND g.generation = $2`,
      of,
    ),
  ]);
  const [row] = state.rows;
  return {
    events: events.rows.map(({ position, ...event }) => ({ ...event, position: BigInt(position) })),
    parkedInLastMinute: row?.lately ?? 0,
    stoppedAt: typeof row?.stopped_at === 'string' ? BigInt(row.stopped_at) : undefined,
  };
};

/** `again`: what becomes of one that is known. */
const insertParked = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  { position, stream, type, error, raw, behind }: ParkedEvent,
  again: string,
) => {
  await client.query(
    `INSERT INTO parked_events AS p (projection, generation, position, stream, type, error, raw, behind, attempts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $8::bigint IS NULL THEN 1 ELSE 0 END)
     ON CONFLICT (projection, generation, position) DO ${again}`,
    [projection, generation, position, text(stream), text(type), text(error), text(raw), behind ?? null],
  );
};

export const parkEvents = async (client: Queryable, key: LeaseKey, parked: readonly ParkedEvent[]): Promise<void> => {
  for (const event of parked) await insertParked(client, key, event, 'NOTHING');
};

/** One that was tried counts it; one that only stands behind another was not. */
const triedAgain = `UPDATE SET error = excluded.error, behind = excluded.behind, decision_requested_at = NULL,
  attempts = p.attempts + excluded.attempts,
  tried_at = CASE WHEN excluded.behind IS NULL THEN now() ELSE p.tried_at END`;

export const settleParked = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  { released, failed, discarded }: SettledParkedEvents,
): Promise<void> => {
  const of = [projection, generation];
  await client.query(
    `DELETE FROM parked_events WHERE projection = $1 AND generation = $2 AND state = 'parked' AND position = ANY($3)`,
    [...of, released],
  );
  for (const event of failed) await insertParked(client, { projection, generation }, event, triedAgain);
  for (const { position, reason } of discarded)
    await client.query(
      `UPDATE parked_events SET state = 'discarded', reason = $4, decision_requested_at = NULL
       WHERE projection = $1 AND generation = $2 AND position = $3`,
      [...of, position, text(reason)],
    );
};

/** No more events of a generation are parked, from this one on: there were too many at once. */
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

/** That event was folded, or passed over: events may be parked again. */
export const parkingGoesOn = async (
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
