import { inTransaction, type Postgres, type Queryable } from './pool.ts';

export interface SelectedParkedEvent {
  readonly sequence: string;
  readonly stream: string;
}

interface ParkedDecisionRequest {
  readonly projection: string;
  readonly affected: readonly string[];
  /** Undefined selects all parked items. */
  readonly sequences: readonly string[] | undefined;
  /** Maximum number of events to select, from the earliest in the log. */
  readonly limit: number;
  /** Also selects events whose decision was requested before this time and has not been carried out. */
  readonly requestedBefore?: Date | undefined;
}

/** `replaying`: a replay of this projection builds a generation that might miss a decision. */
type UnlessReplaying<T> = { readonly result: T } | { readonly replaying: string };

/** A replay that is requested while `work` runs waits for the transaction to end. */
export const decideUnlessReplaying = <T>(
  postgres: Postgres,
  affected: readonly string[],
  work: (client: Queryable) => Promise<T>,
): Promise<UnlessReplaying<T>> =>
  inTransaction(postgres, async (client) => {
    await client.query('SELECT 1 FROM read_models WHERE projection = ANY($1) FOR SHARE', [affected]);
    const { rows } = await client.query<{ projection: string }>(
      `SELECT projection FROM replays WHERE projection = ANY($1) AND kind = 'replay' AND ended_at IS NULL ORDER BY id`,
      [affected],
    );
    const [unfinished] = rows;
    return unfinished ? { replaying: unfinished.projection } : { result: await work(client) };
  });

/** If `write` fails, no event is marked. Skips events that are parked only in generations other than the live one. */
export const requestParkedDecision = (
  postgres: Postgres,
  { projection, affected, sequences, limit, requestedBefore }: ParkedDecisionRequest,
  write: (selected: readonly SelectedParkedEvent[]) => Promise<void>,
): Promise<UnlessReplaying<readonly SelectedParkedEvent[]>> =>
  decideUnlessReplaying(postgres, affected, async (client) => {
    // Without `requestedBefore`, the condition is exactly the predicate of the partial index parked_events_undecided.
    const isDue = (parameter: string) =>
      requestedBefore === undefined
        ? 'decision_requested_at IS NULL'
        : `(decision_requested_at IS NULL OR decision_requested_at < ${parameter})`;
    const before = requestedBefore ? [requestedBefore] : [];
    const matching = await client.query<{ sequence: string }>(
      `SELECT DISTINCT sequence FROM parked_events e
       WHERE projection = $1 AND state = 'parked' AND ${isDue('$4')}
       AND NOT EXISTS (SELECT 1 FROM generations g
         WHERE g.projection = e.projection AND g.generation = e.generation AND g.state <> 'live')
       AND ($2::bigint[] IS NULL OR sequence = ANY($2))
       ORDER BY sequence LIMIT $3`,
      [projection, sequences, limit, ...before],
    );
    // In a single statement, PostgreSQL would repeat the selection for each row as long as it has no statistics on the table.
    const { rows } = await client.query<SelectedParkedEvent>(
      `WITH marked AS (
         UPDATE parked_events SET decision_requested_at = now()
         WHERE projection = ANY($1) AND sequence = ANY($2) AND state = 'parked' AND ${isDue('$3')}
         RETURNING sequence, stream)
       SELECT DISTINCT sequence::text AS sequence, stream, sequence AS at FROM marked ORDER BY at`,
      [affected, matching.rows.map(({ sequence }) => sequence), ...before],
    );
    const selected = rows.map(({ sequence, stream }) => ({ sequence, stream }));
    if (selected.length > 0) await write(selected);
    return selected;
  });

/**
 * Returns a time. Decisions that were requested before that time and have not been carried out may be requested again.
 *
 * Returns undefined until the live generations have handled the log position `lastDecision`, because they may be about to carry out
 * a decision.
 */
export const readStaleDecisionCutoff = async (
  postgres: Queryable,
  affected: readonly string[],
  lastDecision: bigint,
): Promise<Date | undefined> => {
  const { rows } = await postgres.query<{ before: Date }>(
    `SELECT now() - interval '1 minute' AS before WHERE NOT EXISTS (
       SELECT 1 FROM checkpoints c LEFT JOIN generations g USING (projection, generation)
       WHERE projection = ANY($1) AND coalesce(g.state, 'live') = 'live' AND c.position < $2)`,
    [affected, lastDecision],
  );
  return rows[0]?.before;
};

export const readStopErrors = async (
  postgres: Queryable,
  projections: readonly string[],
): Promise<readonly string[]> => {
  const { rows } = await postgres.query<{ error: string }>(
    `SELECT error FROM projection_status WHERE projection = ANY($1) AND error IS NOT NULL
     UNION ALL SELECT error FROM (SELECT DISTINCT ON (projection) error FROM replays
       WHERE projection = ANY($1) AND kind = 'replay' ORDER BY projection, id DESC) AS newest WHERE error IS NOT NULL`,
    [projections],
  );
  return rows.map(({ error }) => error);
};

export interface ParkedEventRecord {
  readonly projection: string;
  readonly generation: number;
  readonly sequence: string;
  readonly stream: string;
  readonly type: string;
  readonly state: 'parked' | 'discarded';
  readonly error: string;
  readonly raw: string;
  readonly attempts: number;
  readonly reason: string | null;
  readonly parkedAt: Date;
  readonly triedAt: Date;
  readonly isDecisionPending: boolean;
}

export interface ParkedEventsQuery {
  readonly projection?: string | undefined;
  readonly state?: string | undefined;
  readonly limit: number;
  readonly after?: Readonly<Record<'projection' | 'generation' | 'sequence', string>> | undefined;
}

/** Lists an event once for each generation, even if several partitions have parked it. */
export const listParkedEvents = async (
  postgres: Queryable,
  { projection, state, limit, after }: ParkedEventsQuery,
): Promise<readonly ParkedEventRecord[]> => {
  const { rows } = await postgres.query<ParkedEventRecord>(
    `SELECT DISTINCT ON (projection, generation, e.sequence) projection, generation, e.sequence::text, stream, type, state, error,
       raw, attempts, reason, parked_at AS "parkedAt", tried_at AS "triedAt",
       decision_requested_at IS NOT NULL AS "isDecisionPending"
     FROM parked_events e
     WHERE ($1::text IS NULL OR projection = $1) AND ($2::text IS NULL OR state = $2)
     AND ($4::text IS NULL OR (projection, generation, e.sequence) > ($4, $5::int, $6::bigint))
     ORDER BY projection, generation, e.sequence, state DESC LIMIT $3`,
    [projection, state, limit, after?.projection, after?.generation, after?.sequence],
  );
  return rows;
};

export const countParkedEvents = async (
  postgres: Queryable,
): Promise<readonly { readonly projection: string; readonly generation: number; readonly parked: number }[]> => {
  const { rows } = await postgres.query<{ projection: string; generation: number; parked: number }>(
    `SELECT projection, generation, count(DISTINCT sequence)::int AS parked FROM parked_events WHERE state = 'parked'
     GROUP BY projection, generation`,
  );
  return rows;
};

/** Omits generations without parked events. `sinceMs`: when the earliest event was parked, in ms since 1970. */
export const summarizeLiveParkedEvents = async (
  postgres: Queryable,
): Promise<
  readonly {
    readonly projection: string;
    readonly generation: number;
    readonly events: number;
    readonly sinceMs: number;
  }[]
> => {
  const { rows } = await postgres.query<{ projection: string; generation: number; events: number; sinceMs: number }>(
    `SELECT projection, generation, count(DISTINCT sequence)::float8 AS events,
       (extract(epoch FROM min(parked_at)) * 1000)::float8 AS "sinceMs"
     FROM parked_events JOIN generations USING (projection, generation)
     WHERE generations.state = 'live' AND parked_events.state = 'parked'
     GROUP BY projection, generation ORDER BY projection`,
  );
  return rows;
};
