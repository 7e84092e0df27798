import type { GenerationKey, LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/** A part of a ClickHouse table that was active when the list of parts was taken. */
export interface ListedPart {
  /** Physical table, such as `coffee_g7`. */
  readonly table: string;
  readonly part: string;
  /** Hash of the rows, the time range and the files of the part. */
  readonly fingerprint: string;
  /** Start of the time range of the rows, in ms since 1970; null or undefined if the partition key contains no time. */
  readonly fromMs?: number | null;
  /** End of the time range of the rows, exclusive, in ms since 1970; null or undefined like `fromMs`. */
  readonly toMs?: number | null;
}

export interface PartList {
  /**
   * By partition: the listed parts contain the rows of all its events up to this position; 0 if no list is stored. A partition
   * without a checkpoint is absent.
   */
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

/** The active parts of a generation's tables at a moment. Of two snapshots, the one with the higher number was taken later. */
export interface PartSnapshot {
  readonly number: bigint;
  readonly parts: readonly ListedPart[];
}

/**
 * Takes a snapshot: calls `readParts` and numbers its result. Snapshots of a generation are taken one after the other, so a
 * snapshot with a higher number shows a later state of ClickHouse.
 */
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

/** The list of parts to store. `snapshot` was taken after all rows of the partition up to `position` were written. */
export interface PartListChange extends LeaseKey {
  /** Epoch of the caller's lease. Nothing is stored once another process holds the lease. */
  readonly epoch: bigint;
  readonly position: bigint;
  readonly snapshot: PartSnapshot;
  /** Lost parts whose rows were derived again and are in the snapshot. Removes them from the lost parts of the generation. */
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

/**
 * Stores a snapshot as the list of a generation, in one transaction. If a later snapshot is already stored, keeps its parts,
 * because they contain the rows of this one. Returns false if the caller has lost the lease.
 */
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

/** Deletes a generation's list, because it does not describe the tables that ClickHouse has now. */
export const deletePartList = (postgres: Postgres, { projection, generation }: GenerationKey): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const key = [projection, generation];
    await client.query('DELETE FROM table_parts WHERE projection = $1 AND generation = $2', key);
    await client.query('UPDATE checkpoints SET parts_position = 0 WHERE projection = $1 AND generation = $2', key);
  });

export interface PartToCheck extends GenerationKey, Pick<ListedPart, 'table' | 'part'> {}

/**
 * Chooses the part that was checked longest ago, among the undamaged live generations of some projections. Records that it is
 * checked now, so that no other process chooses it. Returns undefined if all parts were checked in the last `days` days.
 */
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

/**
 * Damage of a table: lost or changed rows. A replay of the projection restores them. If they are derived from facts (what the
 * projection stores of events), they can be derived again instead.
 */
export interface TableDamage {
  /** Table without the generation number, such as `coffee`. */
  readonly table: string;
  /** The damaged part; null if the table is missing or its definition has changed. */
  readonly part: string | null;
  /** What was found, for operators. */
  readonly problem: string;
  /** When it was found, as ISO 8601. */
  readonly found_at: string;
}

/** A lost part of a table whose rows are derived from facts, with the time range of these rows. They are derived again. */
export interface LostPart extends TableDamage {
  readonly part: string;
  readonly fromMs: number;
  /** End of the time range, exclusive. Both times are in ms since 1970. */
  readonly toMs: number;
}

/**
 * Adds damage to the record of a generation and returns what was not recorded before. A damaged generation that is kept for a
 * rollback is dropped soon, because readers must not return to it.
 *
 * The generation gets no further batch. Its checkpoints move to the highest position whose rows readers may have seen: the end of a
 * begun batch, or the position of the partition in `reached`. The replay that replaces the generation then contains at least these
 * rows.
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

/**
 * Records lost parts of a generation, so that readers refuse their time ranges. Replaces earlier records of the same parts. Returns
 * false if the generation is recorded as damaged, so that only a replay can repair it.
 */
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

/** Reads the lost parts of a generation whose rows have not been derived again yet. */
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
  /** Name without a generation number or suffix, such as `coffee`. */
  readonly relation: string;
  readonly error: string;
}

const maxErrorLength = 1_000;

/** Requests a check of tables and views, because a query that read them failed with an error for damaged data. */
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

/** Deletes the requests for a check of these tables and views. Call this after the check. */
export const clearSuspectedTables = async (postgres: Queryable, relations: readonly string[]): Promise<void> => {
  await postgres.query('DELETE FROM suspected_tables WHERE relation = ANY($1)', [relations]);
};
