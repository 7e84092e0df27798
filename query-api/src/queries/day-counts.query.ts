import { joinWithOr, bind, type Sql, sql, tableName } from '@popsvc/platform/clickhouse';
import { instantSql, ofNetwork } from './of-network.ts';
import { type Extent, ofSites } from './report-rows.ts';

/** From its beginning until before its end. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const dayMs = 86_400_000;
const day = sql`intDiv(toUnixTimestamp64Milli(ts), ${bind('Int64', dayMs)})`;
const within = ({ fromMs, toMs }: TimeRange): Sql => sql`(ts >= ${instantSql(fromMs)} AND ts < ${instantSql(toMs)})`;

type Which = Pick<Extent, 'dataset' | 'network' | 'siteIds'>;

/** Rows by UTC day, counted since 1970; days without any are left out. */
export const dayCountsQuery = (which: Which, generation: number, stretches: readonly TimeRange[]): Sql => {
  const { dataset, network, siteIds } = which;
  const conditions = [joinWithOr(stretches.map(within)), ofSites(siteIds)];
  return sql`
SELECT ${day} AS day, count() AS count
FROM ${ofNetwork(dataset.table, network, conditions, sql`${tableName(dataset.table, generation)} FINAL`)}
GROUP BY day`;
};

/**
 * The days in which anything was written past a position, of whatever site. Every version of a row counts, also one that says
 * that the row is gone: so this holds while no merge drops those (projectors/run/replacing-rows.sql.ts has what versions are).
 */
export const touchedDaysQuery = (
  { dataset, network }: Which,
  generation: number,
  of: TimeRange,
  position: bigint,
): Sql => {
  const newer = sql`version > ${bind('UInt64', (2n * position + 1n).toString())}`;
  return sql`
SELECT DISTINCT ${day} AS day
FROM ${ofNetwork(dataset.table, network, [within(of), newer], tableName(dataset.table, generation))}`;
};
