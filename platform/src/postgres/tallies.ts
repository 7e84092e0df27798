import type { LeaseKey } from './leases.ts';
import type { Queryable } from './pool.ts';

/**
 * Number of items by outcome. `rows`: the item produced rows. `skipped`: an operator discarded the item. `none`: the item
 * produced no rows of its own.
 */
export interface EventOutcomes {
  readonly rows: number;
  readonly skipped: number;
  readonly none: number;
}

export type Tally = Readonly<Record<string, EventOutcomes>>;

export const emptyTally: Tally = {};

export const addTallies = (one: Tally, other: Tally): Tally => {
  const sum = new Map(Object.entries(one));
  for (const [type, { rows, skipped, none }] of Object.entries(other)) {
    const known = sum.get(type) ?? { rows: 0, skipped: 0, none: 0 };
    sum.set(type, { rows: known.rows + rows, skipped: known.skipped + skipped, none: known.none + none });
  }
  return Object.fromEntries(sum);
};

export const countItems = (tally: Tally): number =>
  Object.values(tally).reduce((sum, { rows, skipped, none }) => sum + rows + skipped + none, 0);

/** Outcomes of all events up to and including a position. */
export interface PositionedTally {
  readonly tally: Tally;
  readonly to: bigint;
}

/** Reads the tally of a partition of a generation. Returns undefined if not all events of the generation were counted. */
export const readTally = async (
  postgres: Queryable,
  { projection, generation, partition = 0 }: LeaseKey,
): Promise<PositionedTally | undefined> => {
  const { rows } = await postgres.query<{ tally: Tally; to: string }>(
    `SELECT coalesce(tally, '{}') AS tally, coalesce(tallied_to, 0)::text AS to
     FROM generations g LEFT JOIN checkpoints c
       ON c.projection = g.projection AND c.generation = g.generation AND c.partition = $3
     WHERE g.projection = $1 AND g.generation = $2 AND is_counted`,
    [projection, generation, partition],
  );
  const [row] = rows;
  return row && { tally: row.tally, to: BigInt(row.to) };
};

/**
 * Stores a tally; call this in the transaction that moves the checkpoint to the tally's position. If `tallied` is undefined,
 * records that the generation is not counted.
 */
export const writeTally = async (
  client: Queryable,
  { projection, generation, partition = 0 }: LeaseKey,
  tallied: PositionedTally | undefined,
): Promise<void> => {
  const key = [projection, generation];
  if (tallied)
    await client.query(
      'UPDATE checkpoints SET tally = $4, tallied_to = $5 WHERE projection = $1 AND generation = $2 AND partition = $3',
      [...key, partition, tallied.tally, tallied.to.toString()],
    );
  else await client.query('UPDATE generations SET is_counted = false WHERE projection = $1 AND generation = $2', key);
};
