import type { Field, TableDefinition } from '@popsvc/platform/clickhouse';

/** Of the rows of one network and UTC day. */
export interface Fingerprint {
  readonly network: number;
  /** Since 1970, counted; null where the table has no time. */
  readonly day: number | null;
  readonly rows: number;
  /** The sum of a hash of each, in any order the same. */
  readonly hash: string;
}

const dayMs = 86_400_000;

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
