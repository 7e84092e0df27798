import { inTransaction } from './in-transaction.ts';
import type { LeaseKey } from './leases.ts';
import type { Queryable, Postgres } from './open-records.ts';
import type { Tally } from './tallies.ts';

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
export const insertParts = async (
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
