import { bind, instantSql, type Sql, sql } from '@popsvc/platform/clickhouse';

/** A stretch of whole hours of a network; ms since 1970, half-open. */
export interface Stretch {
  readonly network: number;
  readonly from: number;
  readonly to: number;
}

/** Which generations readers see. Where told twice is as good as once, their rows are read as they lie, at half the price. */
export interface LiveGenerations {
  readonly coffee: number;
  readonly uptime: number;
}

/** In which hours something was, counted from the start of the stretch: of a screen or of a device. */
export interface HoursOf<Key> {
  readonly of: Key;
  readonly hours: readonly number[];
}

export const hourMs = 3_600_000;
export const number = (value: number) => bind('UInt64', value);

/** In which hour of the stretch an instant lies. */
export const hour = (at: Sql, { from }: Stretch): Sql =>
  sql`intDiv(toUnixTimestamp64Milli(${at}) - ${bind('Int64', from)}, 3600000)`;
export const within = (at: Sql, { network, from, to }: Stretch): Sql =>
  sql`network_id = ${number(network)} AND ${at} >= ${instantSql(from)} AND ${at} < ${instantSql(to)}`;
