import { instantMs, instantOf } from '@popsvc/contracts/time';
import { instantSql, numberSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import { fractionDigits, parsePreciseInstant, type PreciseInstant } from '../parameters/time-window.ts';
import type { ReportRow } from '@popsvc/read-models/datasets';

/** The sort direction of a report. Rows are sorted by `ts`, and rows with the same `ts` by `number`. */
export type SortOrder = 'asc' | 'desc';

export const orderBy: Readonly<Record<SortOrder, Sql>> = {
  asc: sql`ts, number`,
  desc: sql`ts DESC, number DESC`,
};

/** The position after which a page begins: a point in time, or one of several rows that have the same `ts`. */
export interface Cursor extends PreciseInstant {
  /**
   * The `number` of the row after which the page begins; absent if the page begins after a point in time. The type is bigint, because 16
   * digits may exceed the integer precision of a double.
   */
  readonly number?: bigint;
}

const numberDigits = 16;
const maxInstantDigits = 9;
const rowCursorDigits = 3 + numberDigits;

/**
 * Parses the parameter `after`. Up to 9 digits after the decimal point are a fraction of a second. Exactly 19 digits identify a
 * row: 3 digits of milliseconds, then the 16 digits of the row's `number`. Returns undefined for any other text.
 */
export const parseCursor = (text: string): Cursor | undefined => {
  const digits = fractionDigits(text);
  if (digits.length <= maxInstantDigits) return parsePreciseInstant(text);
  if (digits.length !== rowCursorDigits) return undefined;
  const ms = instantMs(text.replace(digits, digits.slice(0, 3)));
  return ms === undefined ? undefined : { ms, nanosPastMs: 0, number: BigInt(digits.slice(3)) };
};

/**
 * Formats the cursor of the next page, which begins after the row `last`. `next` is the first row of that page. Returns null if `next` is
 * undefined, because no page follows.
 */
export const formatCursor = (
  last: Pick<ReportRow, 'ms' | 'number'>,
  next: Pick<ReportRow, 'ms' | 'number'> | undefined,
): string | null => {
  if (!next) return null;
  const instant = instantOf(last.ms);
  // The cursor contains the row number only if the next row has the same `ts`.
  return next.ms === last.ms ? instant.replace('Z', `${String(last.number).padStart(numberDigits, '0')}Z`) : instant;
};

/** Returns a condition that selects the rows after the cursor. Its part on `ts` alone lets ClickHouse use the primary index. */
export const isAfterCursor = ({ ms, nanosPastMs, number }: Cursor, sort: SortOrder): Sql => {
  if (number === undefined)
    return sort === 'asc' ? sql`ts >= ${instantSql(ms + 1)}` : sql`ts < ${instantSql(nanosPastMs > 0 ? ms + 1 : ms)}`;
  const row = sql`(${instantSql(ms)}, ${numberSql(number)})`;
  return sort === 'asc'
    ? sql`ts >= ${instantSql(ms)} AND (ts, number) > ${row}`
    : sql`ts <= ${instantSql(ms)} AND (ts, number) < ${row}`;
};
