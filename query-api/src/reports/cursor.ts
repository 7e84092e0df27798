import { instantMs, instantOf } from '@popsvc/contracts/time';
import { instantSql, numberSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import { fractionDigits, parsePreciseInstant, type PreciseInstant } from '../parameters/time-window.ts';
import type { ReportRow } from '@popsvc/read-models/datasets';

/** Rows are sorted by `ts`, then by `number`, both in this direction. */
export type SortOrder = 'asc' | 'desc';

export const orderBy: Readonly<Record<SortOrder, Sql>> = {
  asc: sql`ts, number`,
  desc: sql`ts DESC, number DESC`,
};

/** A page begins after a point in time, or after one of several rows with the same `ts`. */
export interface Cursor extends PreciseInstant {
  /** A bigint, because 16 digits may exceed the integer precision of a double. */
  readonly number?: bigint;
}

const numberDigits = 16;
const maxInstantDigits = 9;
const rowCursorDigits = 3 + numberDigits;

/** Up to 9 fractional digits are a time. Exactly 19 identify a row: 3 of milliseconds, then the 16 of its `number`. */
export const parseCursor = (text: string): Cursor | undefined => {
  const digits = fractionDigits(text);
  if (digits.length <= maxInstantDigits) return parsePreciseInstant(text);
  if (digits.length !== rowCursorDigits) return undefined;
  const ms = instantMs(text.replace(digits, digits.slice(0, 3)));
  return ms === undefined ? undefined : { ms, nanosPastMs: 0, number: BigInt(digits.slice(3)) };
};

export const formatCursor = (
  last: Pick<ReportRow, 'ms' | 'number'>,
  next: Pick<ReportRow, 'ms' | 'number'> | undefined,
): string | null => {
  if (!next) return null;
  const instant = instantOf(last.ms);
  // The row number is needed only if the next row has the same `ts`.
  return next.ms === last.ms ? instant.replace('Z', `${String(last.number).padStart(numberDigits, '0')}Z`) : instant;
};

/** The part of the condition on `ts` alone lets ClickHouse use the primary index. */
export const isAfterCursor = ({ ms, nanosPastMs, number }: Cursor, sort: SortOrder): Sql => {
  if (number === undefined)
    return sort === 'asc' ? sql`ts >= ${instantSql(ms + 1)}` : sql`ts < ${instantSql(nanosPastMs > 0 ? ms + 1 : ms)}`;
  const row = sql`(${instantSql(ms)}, ${numberSql(number)})`;
  return sort === 'asc'
    ? sql`ts >= ${instantSql(ms)} AND (ts, number) > ${row}`
    : sql`ts <= ${instantSql(ms)} AND (ts, number) < ${row}`;
};
