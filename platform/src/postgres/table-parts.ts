import type { GenerationKey, LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

export interface ListedPart {
  /** Physical table, such as `coffee_g7`. */
  readonly table: string;
  readonly part: string;
  /** Hash of the rows, the time range and the files of the part. */
  readonly fingerprint: string;
  /** Start of the time range of the rows, in ms since 1970; null or undefined if the partition key contains no time. */
  readonly fromMs?: number | null;
  /** Exclusive, in ms since 1970. */
  readonly toMs?: number | null;
}

export interface PartList {
  /** By partition: the parts contain the rows of all its events up to this position; 0 if no list is stored. */
  readonly positions: ReadonlyMap<number, bigint>;
  readonly parts: readonly ListedPart[];
}

export const readPartList = async (
  postgres: Queryable,
  { projection, generation }: GenerationKey,
): Promise<PartList> => {
  const key = [projection, generation];
  // The positions are read first, because a newer list also contains the rows up to older positions.
  const { rows } = await postgres.query<{ partition: number; position: string }>(
    'SELECT partition, parts_position::text AS position FROM checkpoints WHERE projection = $1 AND generation = $2',
    key,
  );
  const { rows: parts } = await postgres.query<ListedPart>(
    `SELECT table_name AS "table", part, fingerprint, from_ms::float8 AS "fromMs", to_ms::float8 AS "toMs"
     FROM table_parts WHERE projection = $1 AND generation = $2`,
    key,
  );
  return { positions: new Map(rows.map(({ partition, position }) => [partition, BigInt(position)])), parts };
};

export interface PartSnapshot {
  readonly number: bigint;
  readonly parts: readonly ListedPart[];
}

/** Snapshots of a generation are taken one after the other. A higher number shows a later state of ClickHouse. */
export const takePartSnapshot = (
  postgres: Postgres,
  { projection, generation }: GenerationKey,
  readParts: () => Promise<readonly ListedPart[]>,
): Promise<PartSnapshot> =>
  inTransaction(postgres, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('part-snapshot ' || $1 || ' ' || $2, 0))`, [
      projection,
      generation,
    ]);
    const { rows } = await client.query<{ number: string }>(`SELECT nextval('part_snapshots') AS number`);
    return { number: BigInt(rows[0]!.number), parts: await readParts() };
  });

export interface PartListChange extends LeaseKey {
  readonly epoch: bigint;
  readonly position: bigint;
  readonly snapshot: PartSnapshot;
  /** Lost parts whose rows were derived again and are in the snapshot. */
  readonly healed?: readonly LostPart[];
}

const replaceParts = async (
  client: Queryable,
  { projection, generation }: GenerationKey,
  { number, parts }: PartSnapshot,
): Promise<void> => {
  const key = [projection, generation];
  const listed = JSON.stringify(parts);
  await client.query(
    `DELETE FROM table_parts p WHERE p.projection = $1 AND p.generation = $2 AND NOT EXISTS (
       SELECT 1 FROM jsonb_to_recordset($3) AS a("table" text, part text)
       WHERE a."table" = p.table_name AND a.part = p.part)`,
    [...key, listed],
  );
  await client.query(
    `INSERT INTO table_parts AS p (projection, generation, table_name, part, fingerprint, from_ms, to_ms)
     SELECT $1, $2, "table", part, fingerprint, "fromMs", "toMs" FROM jsonb_to_recordset($3)
       AS a("table" text, part text, fingerprint text, "fromMs" bigint, "toMs" bigint)
     ON CONFLICT (projection, generation, table_name, part) DO UPDATE
       SET fingerprint = excluded.fingerprint, from_ms = excluded.from_ms, to_ms = excluded.to_ms, checked_at = NULL
       WHERE p.fingerprint <> excluded.fingerprint`,
    [...key, listed],
  );
  await client.query('UPDATE generations SET parts_snapshot = $3 WHERE projection = $1 AND generation = $2', [
    ...key,
    number,
  ]);
};

/** Keeps the parts of a later snapshot, which contain the rows of this one. Returns false if the caller has lost the lease. */
export const storePartList = (
  postgres: Postgres,
  { projection, generation, partition = 0, epoch, position, snapshot, healed = [] }: PartListChange,
): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    const key = [projection, generation];
    const { rows } = await client.query<{ stored: string }>(
      'SELECT parts_snapshot AS stored FROM generations WHERE projection = $1 AND generation = $2 FOR NO KEY UPDATE',
      key,
    );
    const { rowCount } = await client.query(
      `UPDATE checkpoints c SET parts_position = $5
       FROM (SELECT 1 FROM leases
         WHERE projection = $1 AND generation = $2 AND partition = $3 AND epoch = $4 FOR SHARE) AS held
       WHERE c.projection = $1 AND c.generation = $2 AND c.partition = $3`,
      [...key, partition, epoch, position],
    );
    if (rowCount !== 1) return false;
    if (BigInt(rows[0]?.stored ?? 0) < snapshot.number)
      await replaceParts(client, { projection, generation }, snapshot);
    if (healed.length > 0)
      await client.query(
        `UPDATE generations SET healing = coalesce(
           (SELECT jsonb_agg(h) FROM jsonb_array_elements(healing) AS h WHERE NOT $3::jsonb @> jsonb_build_array(h)), '[]')
         WHERE projection = $1 AND generation = $2`,
        [...key, JSON.stringify(healed)],
      );
    return true;
  });

export const deletePartList = (postgres: Postgres, { projection, generation }: GenerationKey): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const key = [projection, generation];
    await client.query('DELETE FROM table_parts WHERE projection = $1 AND generation = $2', key);
    await client.query('UPDATE checkpoints SET parts_position = 0 WHERE projection = $1 AND generation = $2', key);
  });

export interface PartToCheck extends GenerationKey, Pick<ListedPart, 'table' | 'part'> {}

/** Returns the part that was checked longest ago, and marks it as checked; undefined if all parts were checked in the last `days` days. */
export const claimPartToCheck = async (
  postgres: Queryable,
  { projections, days }: { readonly projections: readonly string[]; readonly days: number },
): Promise<PartToCheck | undefined> => {
  const { rows } = await postgres.query<PartToCheck>(
    `UPDATE table_parts p SET checked_at = now()
     FROM (SELECT projection, generation, table_name, part FROM table_parts JOIN generations USING (projection, generation)
       WHERE state = 'live' AND damage = '[]' AND projection = ANY($2) AND (checked_at IS NULL OR checked_at < now() - $1 * interval '1 day')
       ORDER BY checked_at NULLS FIRST LIMIT 1 FOR UPDATE OF table_parts SKIP LOCKED) AS next
     WHERE (p.projection, p.generation, p.table_name, p.part) = (next.projection, next.generation, next.table_name, next.part)
     RETURNING p.projection, p.generation, p.table_name AS "table", p.part`,
    [days, projections],
  );
  return rows[0];
};

export interface TableDamage {
  readonly table: string;
  /** Null if the table is missing or its definition has changed. */
  readonly part: string | null;
  readonly problem: string;
  /** ISO 8601. */
  readonly found_at: string;
}

/** A lost part of a table whose rows can be derived again. `toMs` is exclusive; both times are in ms since 1970. */
export interface LostPart extends TableDamage {
  readonly part: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns the damage that was not recorded before. The checkpoints move to the highest positions whose rows readers may have seen,
 * so the next replay contains at least these rows.
 */
export const recordDamage = (
  postgres: Postgres,
  { projection, generation }: GenerationKey,
  found: readonly TableDamage[],
  reached: ReadonlyMap<number, bigint> = new Map(),
): Promise<readonly TableDamage[]> =>
  inTransaction(postgres, async (client) => {
    const key = [projection, generation];
    const { rows } = await client.query<{ damage: readonly TableDamage[] }>(
      'SELECT damage FROM generations WHERE projection = $1 AND generation = $2 FOR UPDATE',
      key,
    );
    const [record] = rows;
    if (!record) return [];
    const isKnown = ({ table, part }: TableDamage) =>
      record.damage.some((known) => known.table === table && known.part === part);
    const added = found.filter((each) => !isKnown(each));
    if (added.length > 0)
      await client.query(
        `UPDATE generations SET damage = damage || $3::jsonb,
           drop_after = CASE WHEN state = 'kept' THEN now() ELSE drop_after END
         WHERE projection = $1 AND generation = $2`,
        [...key, JSON.stringify(added)],
      );
    await client.query(
      `UPDATE checkpoints c SET position = greatest(c.position, c.begun,
         (SELECT r.reached FROM unnest($3::int[], $4::bigint[]) AS r(partition, reached) WHERE r.partition = c.partition))
       WHERE projection = $1 AND generation = $2`,
      [...key, [...reached.keys()], [...reached.values()]],
    );
    return added;
  });

/** Returns false if the generation is recorded as damaged: only a replay can then repair it. */
export const recordHealing = async (
  postgres: Queryable,
  { projection, generation }: GenerationKey,
  found: readonly LostPart[],
): Promise<boolean> => {
  const { rowCount } = await postgres.query(
    `UPDATE generations SET healing = $3::jsonb || coalesce((SELECT jsonb_agg(h) FROM jsonb_array_elements(healing) AS h
       WHERE (h->>'table', h->>'part') NOT IN (SELECT f->>'table', f->>'part' FROM jsonb_array_elements($3) AS f)), '[]')
     WHERE projection = $1 AND generation = $2 AND damage = '[]'`,
    [projection, generation, JSON.stringify(found)],
  );
  return rowCount === 1;
};

export const readLostParts = async (
  postgres: Queryable,
  { projection, generation }: GenerationKey,
): Promise<readonly LostPart[]> => {
  const { rows } = await postgres.query<{ healing: readonly LostPart[] }>(
    'SELECT healing FROM generations WHERE projection = $1 AND generation = $2',
    [projection, generation],
  );
  return rows[0]?.healing ?? [];
};

export interface SuspectedTable {
  readonly relation: string;
  readonly error: string;
}

const maxErrorLength = 1_000;

export const suspectTables = async (
  postgres: Queryable,
  relations: readonly string[],
  error: string,
): Promise<void> => {
  await postgres.query(
    `INSERT INTO suspected_tables (relation, error) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING`,
    [relations, error.slice(0, maxErrorLength)],
  );
};

export const readSuspectedTables = async (postgres: Queryable): Promise<readonly SuspectedTable[]> => {
  const { rows } = await postgres.query<SuspectedTable>(
    'SELECT relation, error FROM suspected_tables ORDER BY relation',
  );
  return rows;
};

export const clearSuspectedTables = async (postgres: Queryable, relations: readonly string[]): Promise<void> => {
  await postgres.query('DELETE FROM suspected_tables WHERE relation = ANY($1)', [relations]);
};
