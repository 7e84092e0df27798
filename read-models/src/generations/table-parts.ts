import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { ListedPart, PartList } from '@popsvc/platform/postgres';
import type { Generation } from './generations.ts';
import { syncSchema, syncTables } from './replicas.ts';

interface DetachedPart {
  readonly table: string;
  readonly part: string;
  /** For example, `broken-on-start`. */
  readonly reason: string;
}

export interface StoredTables {
  readonly missing: readonly string[];
  readonly active: readonly ListedPart[];
  readonly detached: readonly DetachedPart[];
}

/**
 * `hash_of_all_files` comes from the part's own list of checksums. The other values come from files that ClickHouse does not verify when it
 * loads a part.
 */
const fingerprintSql = 'hex(sipHash128(rows, partition, min_date, max_date, min_time, max_time, hash_of_all_files))';

const ofTables = 'database = currentDatabase() AND table IN {tables:Array(String)}';
/** `min_time` and `max_time` are whole seconds, and 0 if the partition key has no time. */
const activeSql = `SELECT table, name AS part, ${fingerprintSql} AS fingerprint,
    if(toUnixTimestamp(max_time) = 0, NULL, 1000 * toFloat64(toUnixTimestamp(min_time))) AS fromMs,
    if(toUnixTimestamp(max_time) = 0, NULL, 1000 * (toFloat64(toUnixTimestamp(max_time)) + 1)) AS toMs
  FROM system.parts WHERE active AND ${ofTables}`;
export const detachedSql = `SELECT table, name AS part, reason FROM system.detached_parts
  WHERE ${ofTables} AND (startsWith(reason, 'broken') OR startsWith(reason, 'unexpected'))`;
const existingSql = `SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN {tables:Array(String)}`;

export const physicalTables = ({ projection, generation }: Generation): readonly string[] =>
  projection.tables.map((table) => generationTable(table, generation));

export const readActiveParts = (writer: ClickHouseWriter, which: Generation): Promise<readonly ListedPart[]> =>
  writer.rows<ListedPart>(activeSql, { params: { tables: physicalTables(which) } });

export const readStoredTables = async (writer: ClickHouseWriter, tables: readonly string[]): Promise<StoredTables> => {
  // A replica that is behind may lack tables that other replicas have.
  await syncSchema(writer);
  await syncTables(writer, tables);
  const params = { tables };
  const [existing, active, detached] = await Promise.all([
    writer.rows<{ name: string }>(existingSql, { params }),
    writer.rows<ListedPart>(activeSql, { params }),
    writer.rows<DetachedPart>(detachedSql, { params }),
  ]);
  const names = new Set(existing.map(({ name }) => name));
  // Another replica has the parts that this one detached and fetches again, so they are not lost.
  const isReplica = writer.cluster !== undefined;
  return { missing: tables.filter((table) => !names.has(table)), active, detached: isReplica ? [] : detached };
};

/** Each merge of a part increases the level, and each mutation the version. */
interface BlockRange {
  readonly partition: string;
  readonly from: number;
  readonly to: number;
  readonly level: number;
  readonly version: number;
}

/** `{partition}_{from}_{to}_{level}[_{version}]`. The name of a detached part begins with a reason and may end with `_try{n}`. */
const nameFormat = /([^_]+)_(\d+)_(\d+)_(\d+)(?:_(\d+))?(?:_try\d+)?$/;

const rangeOf = (part: string): BlockRange | undefined => {
  const [, partition, from, to, level, version = '0'] = nameFormat.exec(part) ?? [];
  return partition === undefined
    ? undefined
    : { partition, from: Number(from), to: Number(to), level: Number(level), version: Number(version) };
};

const covers = (outer: BlockRange, inner: BlockRange): boolean =>
  outer.partition === inner.partition &&
  outer.from <= inner.from &&
  outer.to >= inner.to &&
  outer.level >= inner.level &&
  outer.version >= inner.version;

/** `part` is null if the whole table is missing or its definition changed. */
export interface FoundDamage {
  readonly table: string;
  readonly part: string | null;
  readonly problem: string;
  /** True if the part is not active or can be dropped: the table then lacks rows and has no wrong ones. */
  readonly isDroppable: boolean;
  /** The time range of the rows, if known, in ms since 1970; the end is exclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

const indexParts = (active: readonly ListedPart[]) => {
  const fingerprints = new Map<string, string>();
  const ranges = new Map<string, BlockRange[]>();
  for (const { table, part, fingerprint } of active) {
    fingerprints.set(`${table} ${part}`, fingerprint);
    const range = rangeOf(part);
    if (range) ranges.set(`${table} ${range.partition}`, [...(ranges.get(`${table} ${range.partition}`) ?? []), range]);
  }
  return {
    fingerprintOf: ({ table, part }: { readonly table: string; readonly part: string }) =>
      fingerprints.get(`${table} ${part}`),
    rangesNear: (table: string, { partition }: BlockRange) => ranges.get(`${table} ${partition}`) ?? [],
  };
};

/** If ClickHouse cannot read a merged part at its start, it uses the parts from which the part was merged, if it still has them. */
export const compareWithList = (
  { parts }: Pick<PartList, 'parts'>,
  { missing, active, detached }: StoredTables,
): readonly FoundDamage[] => {
  const gone = new Set(missing);
  const index = indexParts(active);
  const damage: FoundDamage[] = missing.map((table) => ({
    table,
    part: null,
    problem: 'the table is missing',
    isDroppable: false,
  }));
  const judgeListed = (listed: ListedPart): Pick<FoundDamage, 'problem' | 'isDroppable'> | undefined => {
    const found = index.fingerprintOf(listed);
    // The part cannot be dropped, because a merge may use it before the drop.
    if (found !== undefined && found !== listed.fingerprint)
      return { problem: 'its rows or files are not those that were written', isDroppable: false };
    const range = rangeOf(listed.part);
    const isStored =
      found !== undefined ||
      (range !== undefined && index.rangesNear(listed.table, range).some((outer) => covers(outer, range)));
    return isStored ? undefined : { problem: 'it is not among the active parts', isDroppable: true };
  };
  for (const listed of parts) {
    const problem = gone.has(listed.table) ? undefined : judgeListed(listed);
    if (problem !== undefined) damage.push({ table: listed.table, part: listed.part, ...problem });
  }
  for (const { table, part, reason } of detached) {
    const range = rangeOf(part);
    if (!range) continue;
    const isStored = index.rangesNear(table, range).some((other) => covers(other, range) || covers(range, other));
    const name = part.replace(`${reason}_`, '');
    if (!isStored && !damage.some((known) => known.table === table && known.part === name))
      damage.push({ table, part: name, problem: `ClickHouse detached it: ${reason}`, isDroppable: true });
  }
  return damage;
};
