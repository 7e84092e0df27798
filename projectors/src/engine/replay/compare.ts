import type { ClickHouseWriter, TableDefinition } from '@popsvc/platform/clickhouse';
import type { RowDifference } from '@popsvc/platform/postgres';
import { comparedFields, hashedColumn } from '../compared-columns.ts';
import { isInPendingWindow, pendingFactsOf } from '../pending-ranges.ts';
import { listSnapshots, snapshotName, type Snapshots } from './snapshots.ts';

export interface Fingerprint {
  readonly network: number;
  /** Days since 1970; null if the table definition names no `day` column. */
  readonly day: number | null;
  readonly rows: number;
  readonly hash: string;
}

const placeColumns = ({ fields, day }: TableDefinition) => ({
  network: `toFloat64(${'network_id' in fields ? 'network_id' : '0'})`,
  day: day === undefined ? 'NULL' : `toFloat64(intDiv(toUnixTimestamp64Milli(${day}), ${dayMs}))`,
});

/** ClickHouse partitions can be read separately (`where`), because a row replaces only rows of its own partition. */
export const fingerprintSql = (table: TableDefinition, from: string, where = '1'): string => {
  const { network, day } = placeColumns(table);
  return `
  SELECT ${network} AS network, ${day} AS day, toFloat64(count()) AS rows,
    toString(sum(cityHash64(${comparedFields(table).map(hashedColumn).join(', ')}))) AS hash
  FROM ${from} FINAL
  WHERE ${where}
  GROUP BY network, day
  SETTINGS max_threads = 1, do_not_merge_across_partitions_select_final = 1`;
};

interface Partition {
  readonly table: string;
  readonly partition: string;
  readonly rows: number;
}

const partitionsSql = `SELECT table, partition_id AS partition, toFloat64(sum(rows)) AS rows FROM system.parts
  WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
  GROUP BY table, partition_id ORDER BY table, partition_id`;

const partitionsOf = (writer: ClickHouseWriter, tables: readonly string[]): Promise<readonly Partition[]> =>
  writer.rows<Partition>(partitionsSql, { params: { tables } });

const queryTimeoutMs = 3_600_000;
/** More differences usually have the same cause. */
const maxReported = 100;
const dayMs = 86_400_000;

const keyOf = ({ network, day }: Fingerprint) => `${network} ${day}`;

/** Adds hashes modulo 2^64, as `sum` in ClickHouse does. */
const addFingerprints = (one: Fingerprint | undefined, { hash, rows, ...place }: Fingerprint): Fingerprint => ({
  ...place,
  rows: rows + (one?.rows ?? 0),
  hash: BigInt.asUintN(64, BigInt(hash) + BigInt(one?.hash ?? 0)).toString(),
});

interface ColumnHashes {
  readonly network: number;
  readonly day: number | null;
  readonly hashes: readonly string[];
}

interface ComparedCopy {
  readonly copy: string;
  readonly where: string;
}

/** Returns days with different numbers of rows unchanged, because all their columns would differ. */
const findChangedColumns = async (
  writer: ClickHouseWriter,
  table: TableDefinition,
  copies: readonly [before: ComparedCopy, after: ComparedCopy],
  differences: readonly RowDifference[],
  signal: AbortSignal,
): Promise<readonly RowDifference[]> => {
  const places = differences.filter(({ rows_before: before, rows_after: after }) => before === after);
  if (places.length === 0) return differences;
  const { network, day } = placeColumns(table);
  const columns = comparedFields(table).filter(([name]) => !table.orderBy.includes(name));
  const hashes = columns.map(
    (field) => `toString(sum(cityHash64(${[...table.orderBy, hashedColumn(field)].join(', ')})))`,
  );
  const days = places.map((each) => Date.parse(each.day!) / dayMs);
  const inPlaces = places.map((each, index) => `(${each.network}, ${days[index]})`).join(', ');
  // Without this condition, ClickHouse would read all partitions.
  const isInDays = `${table.day!} >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ${table.day!} < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;
  const params = { fromMs: Math.min(...days) * dayMs, toMs: (Math.max(...days) + 1) * dayMs };
  const read = async ({ copy, where }: ComparedCopy) => {
    const rows = await writer.rows<ColumnHashes>(
      `SELECT ${network} AS network, ${day} AS day, [${hashes.join(', ')}] AS hashes FROM ${copy} FINAL
       WHERE ${isInDays} AND (network_id, intDiv(toUnixTimestamp64Milli(${table.day!}), ${dayMs})) IN (${inPlaces}) AND ${where}
       GROUP BY network, day
       SETTINGS max_threads = 1, do_not_merge_across_partitions_select_final = 1`,
      { params, timeoutMs: queryTimeoutMs, signal },
    );
    return new Map(rows.map((row) => [`${row.network} ${dayOf(row.day)}`, row.hashes]));
  };
  const [before, after] = [await read(copies[0]), await read(copies[1])];
  return differences.map((each) => {
    const key = `${each.network} ${each.day}`;
    const [was, is] = [before.get(key), after.get(key)];
    if (!places.includes(each) || !was || !is) return each;
    return { ...each, columns: columns.flatMap(([name], index) => (was[index] === is[index] ? [] : [name])) };
  });
};

const dayOf = (day: number | null): string | null =>
  day === null ? null : new Date(day * dayMs).toISOString().slice(0, 10);

type Prints = ReadonlyMap<string, Fingerprint>;

const findDifferences = (table: string, one: Prints, other: Prints): RowDifference[] =>
  [...new Set([...one.keys(), ...other.keys()])].flatMap((key) => {
    const [was, is] = [one.get(key), other.get(key)];
    if (was?.hash === is?.hash && was?.rows === is?.rows) return [];
    const { network, day } = (was ?? is)!;
    return [{ table, network, day: dayOf(day), rows_before: was?.rows ?? 0, rows_after: is?.rows ?? 0, columns: null }];
  });

interface ComparedGenerations extends Snapshots {
  readonly generations: readonly [before: number, after: number];
}

type OnRead = (done: number, of: number) => void;

const pendingSnapshots = (compared: ComparedGenerations): readonly string[] => {
  const { derived } = compared.projection;
  return derived ? compared.generations.map((generation) => snapshotName(derived.pending, generation, compared)) : [];
};

const hasPendingRanges = async (writer: ClickHouseWriter, compared: ComparedGenerations): Promise<boolean> => {
  for (const copy of pendingSnapshots(compared))
    if ((await writer.rows(`SELECT 1 FROM ${copy} FINAL LIMIT 1`)).length > 0) return true;
  return false;
};

/** Leaves out derived rows in ranges that are pending in either generation: both may have derived such ranges up to different positions. */
const comparedRows = (compared: ComparedGenerations, generation: number, table: TableDefinition): string => {
  const { recomputePlan, derived } = compared.projection;
  if (derived?.table.name !== table.name) return '1';
  const pending = pendingSnapshots(compared);
  const nameOf = (of: TableDefinition) => snapshotName(of, generation, compared);
  const isPendingFact = recomputePlan?.pairs?.isPendingSql(pendingFactsOf(pending), nameOf) ?? '0';
  return `NOT (${isPendingFact}) AND NOT ${isInPendingWindow(pending)}`;
};

/** Each query reads the fingerprints of one ClickHouse partition, so that its cost does not grow with the number of partitions. */
export const compareGenerations = async (
  writer: ClickHouseWriter,
  compared: ComparedGenerations,
  onRead: OnRead,
  signal: AbortSignal,
): Promise<readonly RowDifference[]> => {
  const partitions = await partitionsOf(
    writer,
    listSnapshots(compared).map(({ copy }) => copy),
  );
  const all = partitions.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  onRead(done, all);
  const isPending = await hasPendingRanges(writer, compared);

  const copyOf = (table: TableDefinition, generation: number): ComparedCopy => ({
    copy: snapshotName(table, generation, compared),
    where: isPending ? comparedRows(compared, generation, table) : '1',
  });
  const printsOf = async (table: TableDefinition, generation: number): Promise<Prints> => {
    const { copy, where } = copyOf(table, generation);
    const prints = new Map<string, Fingerprint>();
    const ofOne = async ({ partition, rows: many }: Partition) => {
      const sql = fingerprintSql(table, copy, `_partition_id = {partition:String} AND ${where}`);
      const query = { params: { partition }, timeoutMs: queryTimeoutMs, signal };
      for (const print of await writer.rows<Fingerprint>(sql, query))
        prints.set(keyOf(print), addFingerprints(prints.get(keyOf(print)), print));
      done += many;
      onRead(done, all);
    };
    for (const each of partitions) if (each.table === copy) await ofOne(each);
    return prints;
  };

  const [before, after] = compared.generations;
  const { derived } = compared.projection;
  const found: RowDifference[] = [];
  for (const table of compared.projection.tables) {
    // Pending ranges and former rows depend on how far a generation is derived, and where its batches ended.
    if ([derived?.pending.name, derived?.history.name].includes(table.name)) continue;
    const one = await printsOf(table, before);
    const other = await printsOf(table, after);
    const differences = findDifferences(table.name, one, other);
    found.push(
      ...(table === derived?.table
        ? await findChangedColumns(
            writer,
            table,
            [copyOf(table, before), copyOf(table, after)],
            differences.slice(0, maxReported),
            signal,
          )
        : differences),
    );
    if (found.length >= maxReported) break;
  }
  return found.slice(0, maxReported);
};
