import type { LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/** A part of a ClickHouse table that was active when the list was taken. */
export interface ListedPart {
  /** Physical table, such as `coffee_g7`. */
  readonly table: string;
  readonly part: string;
  /** Hash of the rows, the time range and the files of the part. */
  readonly fingerprint: string;
  /** The part contains rows from this time on, in ms since 1970; null or undefined if the partition key contains no time. */
  readonly fromMs?: number | null;
  /** End of the time range of the rows, exclusive. */
  readonly toMs?: number | null;
}

/** The parts of a generation's tables at a log position. */
export interface PartList {
  /** The listed parts contain the rows of all events up to this position; 0 if no list is stored. */
  readonly position: bigint;
  readonly parts: readonly ListedPart[];
}

export const readPartList = async (postgres: Queryable, { projection, generation }: LeaseKey): Promise<PartList> => {
  const key = [projection, generation];
  // The position is read first: a list of a later position is valid for an earlier one as well.
  const { rows } = await postgres.query<{ position: string }>(
    'SELECT parts_position::text AS position FROM checkpoints WHERE projection = $1 AND generation = $2',
    key,
  );
  const { rows: parts } = await postgres.query<ListedPart>(
    `SELECT table_name AS "table", part, fingerprint, from_ms::float8 AS "fromMs", to_ms::float8 AS "toMs"
     FROM table_parts WHERE projection = $1 AND generation = $2`,
    key,
  );
  return { position: BigInt(rows[0]?.position ?? 0), parts };
};

/** A change of a generation's list. The fields contain only what differs from the stored list. */
export interface PartListChange extends LeaseKey {
  /** Epoch of the caller's lease. Nothing is stored once another process holds the lease. */
  readonly epoch: bigint;
  readonly position: bigint;
  readonly added: readonly ListedPart[];
  readonly removed: readonly ListedPart[];
  /** Lost parts whose rows are derived again and in the listed parts. Their damage is healed. */
  readonly healed?: readonly LostPart[];
}

/** Stores a change of a list in one transaction. Returns false if the caller lost the lease. */
export const storePartList = (
  postgres: Postgres,
  { projection, generation, epoch, position, added, removed, healed = [] }: PartListChange,
): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE checkpoints c SET parts_position = $4
       FROM (SELECT 1 FROM leases WHERE projection = $1 AND generation = $2 AND epoch = $3 FOR SHARE) AS held
       WHERE c.projection = $1 AND c.generation = $2`,
      [projection, generation, epoch, position],
    );
    if (rowCount !== 1) return false;
    const key = [projection, generation];
    if (removed.length > 0)
      await client.query(
        `DELETE FROM table_parts p USING jsonb_to_recordset($3) AS gone("table" text, part text)
         WHERE p.projection = $1 AND p.generation = $2 AND p.table_name = gone."table" AND p.part = gone.part`,
        [...key, JSON.stringify(removed)],
      );
    if (added.length > 0)
      await client.query(
        `INSERT INTO table_parts (projection, generation, table_name, part, fingerprint, from_ms, to_ms)
         SELECT $1, $2, "table", part, fingerprint, "fromMs", "toMs" FROM jsonb_to_recordset($3)
           AS a("table" text, part text, fingerprint text, "fromMs" bigint, "toMs" bigint)
         ON CONFLICT (projection, generation, table_name, part) DO UPDATE
           SET fingerprint = excluded.fingerprint, from_ms = excluded.from_ms, to_ms = excluded.to_ms,
             checked_at = NULL`,
        [...key, JSON.stringify(added)],
      );
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
export const deletePartList = (postgres: Postgres, { projection, generation }: LeaseKey): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const key = [projection, generation];
    await client.query('DELETE FROM table_parts WHERE projection = $1 AND generation = $2', key);
    await client.query('UPDATE checkpoints SET parts_position = 0 WHERE projection = $1 AND generation = $2', key);
  });

/** A listed part of a live generation. */
export interface PartToCheck extends LeaseKey, Pick<ListedPart, 'table' | 'part'> {}

/**
 * Chooses the part of a live generation that was checked longest ago and records that it is checked now, so that no other process
 * chooses it. Returns undefined if all parts were checked in the last `days` days.
 */
export const claimPartToCheck = async (postgres: Queryable, days: number): Promise<PartToCheck | undefined> => {
  const { rows } = await postgres.query<PartToCheck>(
    `UPDATE table_parts p SET checked_at = now()
     FROM (SELECT projection, generation, table_name, part FROM table_parts JOIN generations USING (projection, generation)
       WHERE state = 'live' AND damage = '[]' AND (checked_at IS NULL OR checked_at < now() - $1 * interval '1 day')
       ORDER BY checked_at NULLS FIRST LIMIT 1 FOR UPDATE OF table_parts SKIP LOCKED) AS next
     WHERE (p.projection, p.generation, p.table_name, p.part) = (next.projection, next.generation, next.table_name, next.part)
     RETURNING p.projection, p.generation, p.table_name AS "table", p.part`,
    [days],
  );
  return rows[0];
};

/** Damage of a table: lost or changed rows. A replay of the projection restores them, or they are derived again from facts. */
export interface TableDamage {
  /** Table without the generation number, such as `coffee`. */
  readonly table: string;
  /** The damaged part; null if the whole table is missing. */
  readonly part: string | null;
  /** What was found, for operators. */
  readonly problem: string;
  /** When it was found, as ISO 8601. */
  readonly found_at: string;
}

/** A lost part of a derived table, with the time range of its rows. Its rows are derived again from facts. */
export interface LostPart extends TableDamage {
  readonly part: string;
  /** In ms since 1970. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/**
 * Adds damage to the record of a generation and returns what was not recorded before. A damaged generation that is kept for a
 * rollback is dropped soon, because readers must not return to it.
 *
 * The generation is not written to any more, so its checkpoint becomes the highest position whose rows readers may have seen: that
 * of a batch that was begun, or `reached`. The replay that replaces the generation then contains at least these rows.
 */
export const recordDamage = (
  postgres: Postgres,
  { projection, generation }: LeaseKey,
  found: readonly TableDamage[],
  reached = 0n,
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
      'UPDATE checkpoints SET position = greatest(position, begun, $3) WHERE projection = $1 AND generation = $2',
      [...key, reached],
    );
    return added;
  });

/**
 * Records lost parts of a generation's derived table whose time ranges are pending. The new record of a part replaces an earlier one.
 * Returns false if the generation is recorded as damaged, so that only a replay helps.
 */
export const recordHealing = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
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

/** Reads the lost parts of a generation's derived table whose rows are derived again. */
export const readLostParts = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<readonly LostPart[]> => {
  const { rows } = await postgres.query<{ healing: readonly LostPart[] }>(
    'SELECT healing FROM generations WHERE projection = $1 AND generation = $2',
    [projection, generation],
  );
  return rows[0]?.healing ?? [];
};

/** A table or view that a failed query read. */
export interface SuspectedTable {
  /** Name without a generation number or suffix, such as `coffee`. */
  readonly relation: string;
  readonly error: string;
}

/** Longest error text that is stored. */
const maxErrorLength = 1_000;

/** Requests a check of tables and views, because a query that read them failed with an error of damaged data. */
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

/** Ends the suspicion against tables and views that were checked. */
export const clearSuspectedTables = async (postgres: Queryable, relations: readonly string[]): Promise<void> => {
  await postgres.query('DELETE FROM suspected_tables WHERE relation = ANY($1)', [relations]);
};
