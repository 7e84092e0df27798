import { inTransaction, type Postgres, type Queryable } from './pool.ts';

export interface SelectedParkedEvent {
  readonly position: string;
  readonly stream: string;
}

interface ParkedDecisionRequest {
  readonly projection: string;
  /** Undefined: all that are parked. */
  readonly positions: readonly string[] | undefined;
  /** Of streams that begin with one of these, every parked event is meant where one is. */
  readonly orderedPrefixes: readonly string[];
  /** At most so many, the first in the log. */
  readonly limit: number;
  /** Those that were asked for before then, and are parked still, too; without it none that was asked for. */
  readonly requestedBefore?: Date | undefined;
}

/** `replaying`: a generation is being built, whose rows would not be those of a build that knew what is decided. */
type UnlessReplaying<T> = T | 'replaying';

/** Decides while nobody begins to build a generation of the projection; whoever plans to waits for this transaction. */
export const decideUnlessReplaying = <T>(
  postgres: Postgres,
  projection: string,
  work: (client: Queryable) => Promise<T>,
): Promise<UnlessReplaying<T>> =>
  inTransaction(postgres, async (client) => {
    await client.query('SELECT 1 FROM read_models WHERE projection = $1 FOR SHARE', [projection]);
    const { rowCount } = await client.query(
      `SELECT 1 FROM replays WHERE projection = $1 AND kind = 'replay' AND ended_at IS NULL`,
      [projection],
    );
    return rowCount === 0 ? work(client) : 'replaying';
  });

/** The positions, and all that are parked in streams of theirs whose order matters. */
const withTheirStreams = async (
  client: Queryable,
  projection: string,
  positions: readonly string[] | undefined,
  whole: readonly string[],
): Promise<readonly string[] | undefined> => {
  if (!positions || whole.length === 0) return positions;
  const { rows } = await client.query<{ position: string }>(
    `SELECT DISTINCT position FROM parked_events WHERE projection = $1 AND stream IN (
       SELECT stream FROM parked_events WHERE projection = $1 AND position = ANY($2) AND stream LIKE ANY($3))`,
    [projection, positions, whole.map((prefix) => `${prefix}%`)],
  );
  return [...positions, ...rows.map(({ position }) => position)];
};

/**
 * Marks parked events of the live generation, in every generation that has them, as asked for, and hands them to who writes that
 * to the log: all of them or none. What only a kept generation has set aside the live one has folded where it stands.
 */
export const requestParkedDecision = (
  postgres: Postgres,
  { projection, positions, orderedPrefixes, limit, requestedBefore }: ParkedDecisionRequest,
  write: (asked: readonly SelectedParkedEvent[]) => Promise<void>,
): Promise<UnlessReplaying<readonly SelectedParkedEvent[]>> =>
  decideUnlessReplaying(postgres, projection, async (client) => {
    // An index has those that were not asked for.
    const isDue = (parameter: string) =>
      requestedBefore === undefined
        ? 'decision_requested_at IS NULL'
        : `(decision_requested_at IS NULL OR decision_requested_at < ${parameter})`;
    const before = requestedBefore ? [requestedBefore] : [];
    const wanted = await client.query<{ position: string }>(
      `SELECT DISTINCT position FROM parked_events e
       WHERE projection = $1 AND state = 'parked' AND ${isDue('$4')}
       AND NOT EXISTS (SELECT 1 FROM generations g
         WHERE g.projection = e.projection AND g.generation = e.generation AND g.state <> 'live')
       AND ($2::bigint[] IS NULL OR position = ANY($2))
       ORDER BY position LIMIT $3`,
      [projection, await withTheirStreams(client, projection, positions, orderedPrefixes), limit, ...before],
    );
    // In a statement of its own: in one with the other it is looked for again for each row of a table nobody has analyzed yet.
    const { rows } = await client.query<SelectedParkedEvent>(
      `WITH marked AS (
         UPDATE parked_events SET decision_requested_at = now()
         WHERE projection = $1 AND position = ANY($2) AND state = 'parked' AND ${isDue('$3')}
         RETURNING position, stream)
       SELECT DISTINCT position::text AS position, stream, position AS at FROM marked ORDER BY at`,
      [projection, wanted.rows.map(({ position }) => position), ...before],
    );
    const asked = rows.map(({ position, stream }) => ({ position, stream }));
    if (asked.length > 0) await write(asked);
    return asked;
  });

/**
 * What was asked for before then and is parked still may be asked for again: the live generation has handled the last decision
 * there is. While one is on its way nothing is decided twice, for it would be folded where it is asked for first, and a rebuild
 * folds it where it was asked for last.
 */
export const readStaleDecisionCutoff = async (
  postgres: Queryable,
  projection: string,
  lastDecision: bigint,
): Promise<Date | undefined> => {
  const { rows } = await postgres.query<{ before: Date }>(
    `SELECT now() - interval '1 minute' AS before WHERE NOT EXISTS (
       SELECT 1 FROM checkpoints c LEFT JOIN generations g USING (projection, generation)
       WHERE projection = $1 AND coalesce(g.state, 'live') = 'live' AND c.position < $2)`,
    [projection, lastDecision],
  );
  return rows[0]?.before;
};

/** A parked event as operators are told of it. */
export interface ParkedEventRecord {
  readonly projection: string;
  readonly generation: number;
  readonly position: string;
  readonly stream: string;
  readonly type: string;
  readonly state: 'parked' | 'discarded';
  readonly error: string;
  readonly raw: string;
  readonly attempts: number;
  readonly behind: string | null;
  readonly reason: string | null;
  readonly parkedAt: Date;
  readonly triedAt: Date;
  readonly isDecisionPending: boolean;
}

export interface ParkedEventsQuery {
  readonly projection?: string | undefined;
  readonly state?: string | undefined;
  readonly limit: number;
  /** The last of the page before. */
  readonly after?: { readonly projection: string; readonly generation: number; readonly position: string } | undefined;
}

/** By projection and generation, in the order of the log. */
export const listParkedEvents = async (
  postgres: Queryable,
  { projection, state, limit, after }: ParkedEventsQuery,
): Promise<readonly ParkedEventRecord[]> => {
  const { rows } = await postgres.query<ParkedEventRecord>(
    `SELECT projection, generation, e.position::text, stream, type, state, error, raw, attempts, behind::text, reason,
       parked_at AS "parkedAt", tried_at AS "triedAt", decision_requested_at IS NOT NULL AS "isDecisionPending"
     FROM parked_events e
     WHERE ($1::text IS NULL OR projection = $1) AND ($2::text IS NULL OR state = $2)
     AND ($4::text IS NULL OR (projection, generation, e.position) > ($4, $5::int, $6::bigint))
     ORDER BY projection, generation, e.position LIMIT $3`,
    [projection, state, limit, after?.projection, after?.generation, after?.position],
  );
  return rows;
};

/** How many events each generation has parked, discarded ones left out. */
export const countParkedEvents = async (
  postgres: Queryable,
): Promise<readonly { readonly projection: string; readonly generation: number; readonly parked: number }[]> => {
  const { rows } = await postgres.query<{ projection: string; generation: number; parked: number }>(
    `SELECT projection, generation, count(*)::int AS parked FROM parked_events WHERE state = 'parked'
     GROUP BY projection, generation`,
  );
  return rows;
};

/** The parked events of each live generation that has some, and when the first was parked, ms since 1970. */
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
    `SELECT projection, generation, count(*)::float8 AS events,
       (extract(epoch FROM min(parked_at)) * 1000)::float8 AS "sinceMs"
     FROM parked_events JOIN generations USING (projection, generation)
     WHERE generations.state = 'live' AND parked_events.state = 'parked'
     GROUP BY projection, generation ORDER BY projection`,
  );
  return rows;
};
