import type { LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';
import { addTallies, countEvents, emptyTally, type Tally, writeTally } from './tallies.ts';

/** `facts`: events by position, in any order; `rest`: what needs all of them; `windows`: rows by network and time. */
export type BuildStep = 'facts' | 'rest' | 'windows';

/** Of facts: events after `starts`, up to and including `ends`; of windows: ms since 1970, the end exclusive. */
export interface NewBuildPart {
  readonly starts: bigint;
  readonly ends: bigint;
  /** 0 where a part is of all networks. */
  readonly network: number;
  /** In how many goes it is computed. */
  readonly slices: number;
}

export interface BuildPart extends NewBuildPart {
  readonly step: BuildStep;
  readonly part: number;
  /** Up to where facts are written. */
  readonly reached: bigint;
  /** What became of the events up to there; null: they were not counted. */
  readonly tally: Tally | null;
}

/** One after the other. */
const steps = `ARRAY['facts', 'rest', 'windows']`;

/** For the transaction in which they become known. */
const insertParts = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  step: BuildStep,
  parts: readonly NewBuildPart[],
) => {
  await client.query(
    `INSERT INTO build_parts (projection, generation, step, part, starts, ends, reached, network, slices, tally)
     SELECT $1, $2, $3, n, starts, ends, starts, network, slices, '{}'
     FROM unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::int[]) WITH ORDINALITY AS p (starts, ends, network, slices, n)`,
    [
      projection,
      generation,
      step,
      parts.map(({ starts }) => starts.toString()),
      parts.map(({ ends }) => ends.toString()),
      parts.map(({ network }) => network),
      parts.map(({ slices }) => slices),
    ],
  );
};

/** What is left of the step that comes first, in order; empty when nothing is. */
export const readOpenParts = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<readonly BuildPart[]> => {
  const { rows } = await postgres.query<Record<'starts' | 'ends' | 'reached' | 'network', string> & BuildPart>(
    `WITH open AS (SELECT * FROM build_parts WHERE projection = $1 AND generation = $2 AND NOT is_done)
     SELECT step, part, starts, ends, reached, network, slices, tally FROM open
     WHERE array_position(${steps}, step) = (SELECT min(array_position(${steps}, step)) FROM open) ORDER BY part`,
    [projection, generation],
  );
  return rows.map((row) => ({
    ...row,
    starts: BigInt(row.starts),
    ends: BigInt(row.ends),
    reached: BigInt(row.reached),
    network: Number(row.network),
  }));
};

/** Facts are written from `reached` to `to`; `tally` is of all up to there. False when somebody else was at it: stop. */
export const advancePart = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  { step, part, reached }: BuildPart,
  { to, events, tally }: { readonly to: bigint; readonly events: number; readonly tally: Tally | null },
): Promise<boolean> => {
  const { rowCount } = await postgres.query(
    `UPDATE build_parts SET reached = $6, events = events + $7, tally = $8, is_done = $6 >= ends, written_at = now()
     WHERE projection = $1 AND generation = $2 AND step = $3 AND part = $4 AND reached = $5 AND NOT is_done`,
    [projection, generation, step, part, reached, to, events, tally],
  );
  return rowCount === 1;
};

/** A part is done, and with it known what is to be done next. Somebody else may have done the same meanwhile. */
export const completePart = (
  postgres: Postgres,
  key: LeaseKey,
  { step, part }: BuildPart,
  windows: readonly NewBuildPart[] = [],
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE build_parts SET is_done = true, written_at = now()
       WHERE projection = $1 AND generation = $2 AND step = $3 AND part = $4 AND NOT is_done`,
      [key.projection, key.generation, step, part],
    );
    if (rowCount === 1 && windows.length > 0) await insertParts(client, key, 'windows', windows);
  });

/** A generation that is made of the whole log at once, up to a position. */
export interface BuildRecord {
  readonly upTo: bigint;
  readonly logId: string;
}

export const readBuild = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<BuildRecord | undefined> => {
  const { rows } = await postgres.query<{ up_to: string; log_id: string }>(
    'SELECT up_to, log_id FROM builds WHERE projection = $1 AND generation = $2',
    [projection, generation],
  );
  return rows[0] && { upTo: BigInt(rows[0].up_to), logId: rows[0].log_id };
};

/** Writes down what a build consists of; its windows follow once its facts are in. */
export const beginBuild = (
  postgres: Postgres,
  key: LeaseKey,
  { upTo, logId }: BuildRecord,
  facts: readonly NewBuildPart[],
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    await client.query('INSERT INTO builds (projection, generation, up_to, log_id) VALUES ($1, $2, $3, $4)', [
      key.projection,
      key.generation,
      upTo,
      logId,
    ]);
    await insertParts(client, key, 'facts', facts);
    await insertParts(client, key, 'rest', [{ starts: 0n, ends: upTo, network: 0, slices: 1 }]);
  });

/** What became of its events; undefined where a worker of an older build, which does not count, had a part in it. */
const tallyOf = async (client: Queryable, { projection, generation }: LeaseKey): Promise<Tally | undefined> => {
  const { rows } = await client.query<{ tally: Tally | null; events: number }>(
    `SELECT tally, events::float8 AS events FROM build_parts WHERE projection = $1 AND generation = $2 AND step = 'facts'`,
    [projection, generation],
  );
  if (rows.some(({ tally, events }) => tally === null || countEvents(tally) !== events)) return undefined;
  return rows.reduce((sum, { tally }) => addTallies(sum, tally ?? emptyTally), emptyTally);
};

/**
 * For the transaction in which the generation's checkpoint says that it is made, up to there. Of what it was made stays written
 * down: a power cut may have it done again.
 */
export const completeBuild = async (client: Queryable, key: LeaseKey, upTo: bigint): Promise<void> => {
  const tally = await tallyOf(client, key);
  await writeTally(client, key, tally && { tally, to: upTo });
};

export interface BuildProgress {
  /** Events that are written. */
  readonly events: number;
  /** Everything up to here is written. */
  readonly position: bigint;
  /** Which share of the log's facts is written, 0 to 1. */
  readonly share: number;
  /** How many windows are computed, of how many; 0 until they are known. */
  readonly windows: { readonly done: number; readonly of: number };
}

export const readBuildProgress = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<BuildProgress> => {
  const { rows } = await postgres.query<{ events: number; position: string; share: number; done: number; of: number }>(
    `SELECT coalesce(sum(events), 0)::float8 AS events,
       coalesce(min(reached) FILTER (WHERE step = 'facts' AND NOT is_done),
                max(ends) FILTER (WHERE step = 'facts'), 0)::text AS position,
       coalesce(sum(reached - starts) FILTER (WHERE step = 'facts')
                / nullif(sum(ends - starts) FILTER (WHERE step = 'facts'), 0), 0)::float8 AS share,
       (count(*) FILTER (WHERE step = 'windows' AND is_done))::int AS done,
       (count(*) FILTER (WHERE step = 'windows'))::int AS of
     FROM build_parts WHERE projection = $1 AND generation = $2`,
    [projection, generation],
  );
  const { events, position, share, done, of } = rows[0]!;
  return { events, position: BigInt(position), share, windows: { done, of } };
};

/**
 * So much of what was written before ClickHouse was restarted is not believed. Inserts are on disk when they are acknowledged
 * (`fsync_after_insert`); merges are not, but Linux by its defaults has them there after half a minute, and ClickHouse keeps what was merged for eight.
 * The rest is for disks that say so too early. It is no more than that because what is not believed is folded again in the batches
 * it came in: with ten minutes, on a loaded machine, four minutes of plays were not folded again six minutes after a restart.
 */
export const unsyncedWindowMs = 60_000;

/** Told in whole seconds, by a clock that may be set. */
const slackSeconds = 1;

/**
 * ClickHouse began its life then (s since 1970, by its own clock). If that is another life than a build is known to lie on, what
 * was written in the last moments before the newest that is known to be written may not have been on disk, and is done again, with
 * all that rests on it. However long the machine was off, and however often this is asked: once for each life. True when there
 * was something.
 */
export const resetUnsyncedParts = (
  postgres: Postgres,
  { projection, generation }: LeaseKey,
  serverBegan: number,
): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    const key = [projection, generation];
    const { rowCount } = await client.query(
      `UPDATE builds SET server_started_s = $3
       WHERE projection = $1 AND generation = $2 AND (server_started_s IS NULL OR abs(server_started_s - $3) > $4)`,
      [...key, serverBegan, slackSeconds],
    );
    if (rowCount === 0) return false;
    const { rows } = await client.query<{ step: BuildStep }>(
      `UPDATE build_parts SET reached = starts, events = 0, is_done = false, written_at = NULL, tally = '{}'
       WHERE projection = $1 AND generation = $2 AND written_at >= greatest(
         (SELECT max(written_at) FROM build_parts WHERE projection = $1 AND generation = $2),
         (SELECT saved_at FROM checkpoints WHERE projection = $1 AND generation = $2)) - interval '${unsyncedWindowMs} milliseconds'
       RETURNING step`,
      key,
    );
    if (rows.some(({ step }) => step !== 'windows')) {
      await client.query(`DELETE FROM build_parts WHERE projection = $1 AND generation = $2 AND step = 'windows'`, key);
      await client.query(
        `UPDATE build_parts SET is_done = false WHERE projection = $1 AND generation = $2 AND step = 'rest'`,
        key,
      );
    }
    return rows.length > 0;
  });
