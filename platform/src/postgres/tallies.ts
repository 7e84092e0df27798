import type { LeaseKey } from './leases.ts';
import type { Queryable } from './pool.ts';

/**
 * Number of events by outcome. `rows`: the event produced rows. `skipped`: an operator discarded the event. `none`: the event
 * produced no rows of its own.
 */
export interface EventOutcomes {
  readonly rows: number;
  readonly skipped: number;
  readonly none: number;
}

/** Outcomes by event type. */
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

export const countEvents = (tally: Tally): number =>
  Object.values(tally).reduce((sum, { rows, skipped, none }) => sum + rows + skipped + none, 0);

/** Outcomes of all events up to and including a position. */
export interface PositionedTally {
  readonly tally: Tally;
  readonly to: bigint;
}

/** Reads the tally of a generation. Returns undefined if not all of its events were counted. */
export const readTally = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<PositionedTally | undefined> => {
  const { rows } = await postgres.query<{ tally: Tally | null; to: string }>(
    'SELECT tally, tallied_to::text AS to FROM generations WHERE projection = $1 AND generation = $2',
    [projection, generation],
  );
  const [row] = rows;
  return row?.tally ? { tally: row.tally, to: BigInt(row.to) } : undefined;
};

/**
 * Stores a tally; call this in the transaction that moves the checkpoint to the tally's position. If `tallied` is undefined,
 * deletes the stored tally.
 */
export const writeTally = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  tallied: PositionedTally | undefined,
): Promise<void> => {
  await client.query('UPDATE generations SET tally = $3, tallied_to = $4 WHERE projection = $1 AND generation = $2', [
    projection,
    generation,
    tallied?.tally ?? null,
    (tallied?.to ?? 0n).toString(),
  ]);
};
