import type { ClickHouseWriter, Field, TableDefinition } from '@popsvc/platform/clickhouse';
import type { RowDifference } from '@popsvc/platform/postgres';
import { listSnapshots, snapshotName, type Snapshots } from './snapshots.ts';

/** Of the rows of one network and UTC day. */
export interface Fingerprint {
  readonly network: number;
  /** Since 1970, counted; null where the table has no time. */
  readonly day: number | null;
  readonly rows: number;
  /** The sum of a hash of each, in any order the same. */
  readonly hash: string;
}

/** Told as text, null is different from anything that is there. */
const hashed = ([name, { type }]: readonly [string, Field]): string =>
  type.startsWith('Nullable') ? `ifNull(toString(${name}), '\\\\N')` : name;

/**
 * What stands in a table, by network and UTC day: every stored column but those that are by the way, of the rows that replaced
 * the others. `from` is the table or a copy of it; `where` may name one of its partitions, for rows replace others of their own.
 */
export const fingerprintSql = ({ fields, day }: TableDefinition, from: string, where = '1'): string => {
  const stored = Object.entries<Field>(fields).filter(([, { isIncidental }]) => !isIncidental);
  return `
  SELECT toFloat64(${'network_id' in fields ? 'network_id' : '0'}) AS network,
    ${day === undefined ? 'NULL' : `toFloat64(intDiv(toUnixTimestamp64Milli(${day}), ${dayMs}))`} AS day,
    toFloat64(count()) AS rows, toString(sum(cityHash64(${stored.map(hashed).join(', ')}))) AS hash
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

/** What tables consist of. */
const partitionsOf = (writer: ClickHouseWriter, tables: readonly string[]): Promise<readonly Partition[]> =>
  writer.rows<Partition>(partitionsSql, { params: { tables } });

/** For one partition. */
const longestMs = 3_600_000;
/** What people look at; where there is more, there is one reason for it. */
const mostTold = 100;
const dayMs = 86_400_000;

const keyOf = ({ network, day }: Fingerprint) => `${network} ${day}`;

/** Together: hashes are sums of 64 bits. */
const added = (one: Fingerprint | undefined, { hash, rows, ...of }: Fingerprint): Fingerprint => ({
  ...of,
  rows: rows + (one?.rows ?? 0),
  hash: BigInt.asUintN(64, BigInt(hash) + BigInt(one?.hash ?? 0)).toString(),
});

const dayOf = (day: number | null): string | null =>
  day === null ? null : new Date(day * dayMs).toISOString().slice(0, 10);

type Prints = ReadonlyMap<string, Fingerprint>;

const differing = (table: string, one: Prints, other: Prints): RowDifference[] =>
  [...new Set([...one.keys(), ...other.keys()])].flatMap((key) => {
    const [was, is] = [one.get(key), other.get(key)];
    if (was?.hash === is?.hash && was?.rows === is?.rows) return [];
    const { network, day } = (was ?? is)!;
    return [{ table, network, day: dayOf(day), rows_before: was?.rows ?? 0, rows_after: is?.rows ?? 0 }];
  });

interface ComparedGenerations extends Snapshots {
  readonly generations: readonly [before: number, after: number];
}

/** How many rows are read, of how many. */
type OnRead = (done: number, of: number) => void;

/**
 * Where two generations differ, by table, network and day; at most a hundred. They are compared as their snapshots hold them, a
 * partition at a time: what is asked at once stays small, however large the tables are. The signal ends it within a moment.
 */
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

  const printsOf = async (table: TableDefinition, copy: string): Promise<Prints> => {
    const prints = new Map<string, Fingerprint>();
    const ofOne = async ({ partition, rows: many }: Partition) => {
      const sql = fingerprintSql(table, copy, '_partition_id = {partition:String}');
      const asked = { params: { partition }, timeoutMs: longestMs, signal };
      for (const print of await writer.rows<Fingerprint>(sql, asked))
        prints.set(keyOf(print), added(prints.get(keyOf(print)), print));
      done += many;
      onRead(done, all);
    };
    for (const each of partitions) if (each.table === copy) await ofOne(each);
    return prints;
  };

  const [before, after] = compared.generations;
  const found: RowDifference[] = [];
  for (const table of compared.projection.tables) {
    const one = await printsOf(table, snapshotName(table, before, compared));
    const other = await printsOf(table, snapshotName(table, after, compared));
    found.push(...differing(table.name, one, other));
    if (found.length >= mostTold) break;
  }
  return found.slice(0, mostTold);
};
