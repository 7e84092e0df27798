import type { Queryable } from './pool.ts';

const dateOf = (dayMs: number): string => new Date(dayMs).toISOString().slice(0, 10);

interface NetworkRows {
  readonly network: string;
  readonly rows: string;
}

const toMap = (rows: readonly NetworkRows[]): Map<number, number> =>
  new Map(rows.map(({ network, rows: count }) => [Number(network), Number(count)]));

interface DayOfSet {
  readonly shards: number;
  readonly dayMs: number;
}

export const readDerivedRows = async (
  postgres: Queryable,
  { shards, dayMs }: DayOfSet,
): Promise<Map<number, number>> => {
  const { rows } = await postgres.query<NetworkRows>(
    'SELECT network, rows FROM derived_rows WHERE shards = $1 AND day = $2',
    [shards, dateOf(dayMs)],
  );
  return toMap(rows);
};

/** Returns the new numbers of rows of these networks. Marks a network that has reached `rowsPerDay` as waiting. */
export const addDerivedRows = async (
  postgres: Queryable,
  {
    shards,
    dayMs,
    rows: added,
    rowsPerDay,
  }: DayOfSet & { readonly rows: ReadonlyMap<number, number>; readonly rowsPerDay: number },
): Promise<Map<number, number>> => {
  const counts = [...added].map(([network, count]) => ({ network, count }));
  const { rows } = await postgres.query<NetworkRows>(
    `INSERT INTO derived_rows AS d (shards, network, day, rows, waiting_since)
     SELECT $4::int, a.network, $1, a.count, CASE WHEN a.count >= $3 THEN now() END
     FROM jsonb_to_recordset($2) AS a(network bigint, count bigint)
     ON CONFLICT (shards, network, day) DO UPDATE SET rows = d.rows + excluded.rows,
       waiting_since = CASE WHEN d.rows + excluded.rows >= $3 THEN coalesce(d.waiting_since, now()) END
     RETURNING network, rows`,
    [dateOf(dayMs), JSON.stringify(counts), rowsPerDay, shards],
  );
  return toMap(rows);
};

export interface ExhaustedNetwork {
  readonly network: number;
  readonly rows: number;
  readonly sinceMs: number;
}

/** Reads the networks that have used up their budget of the current UTC day. */
export const readExhaustedNetworks = async (
  postgres: Queryable,
  shards: number,
): Promise<readonly ExhaustedNetwork[]> => {
  const { rows } = await postgres.query<NetworkRows & { waiting_since: Date }>(
    `SELECT network, rows, waiting_since FROM derived_rows
     WHERE shards = $1 AND day = (now() AT TIME ZONE 'UTC')::date AND waiting_since IS NOT NULL ORDER BY network`,
    [shards],
  );
  return rows.map(({ network, rows: count, waiting_since }) => ({
    network: Number(network),
    rows: Number(count),
    sinceMs: waiting_since.getTime(),
  }));
};

export const pruneDerivedRows = async (postgres: Queryable): Promise<void> => {
  await postgres.query("DELETE FROM derived_rows WHERE day < (now() AT TIME ZONE 'UTC')::date - 7");
};
