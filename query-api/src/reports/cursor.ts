import { instantMs, instantOf } from '@popsvc/contracts/time';
import { bind, instantSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import { fractionDigits, parsePreciseInstant, type PreciseInstant } from '../parameters/instants.ts';
import type { RowKey } from '../responses/json-rows.ts';

/** Reports are sorted by `ts`, and rows of one millisecond by `number`. */
export type SortOrder = 'asc' | 'desc';

export const orderBy: Readonly<Record<SortOrder, Sql>> = {
  asc: sql`ts, number`,
  desc: sql`ts DESC, number DESC`,
};

/** Where a page begins: after an instant, or after one row of a millisecond. */
export interface Cursor extends PreciseInstant {
  /** `number` of the last row of the previous page. Its 16 digits may exceed the precision of a double. */
  readonly number?: bigint;
}

const numberDigits = 16;
const maxInstantDigits = 9;
const rowCursorDigits = 3 + numberDigits;

/**
 * Parses the parameter `after`. A fraction of up to 9 digits belongs to an instant. A fraction of 19 digits names a row: 3 digits are
 * milliseconds and 16 the row's `number`. Undefined for any other text.
 */
export const parseCursor = (text: string): Cursor | undefined => {
  const digits = fractionDigits(text);
  if (digits.length <= maxInstantDigits) return parsePreciseInstant(text);
  if (digits.length !== rowCursorDigits) return undefined;
  const ms = instantMs(text.replace(digits, digits.slice(0, 3)));
  return ms === undefined ? undefined : { ms, nanosPastMs: 0, number: BigInt(digits.slice(3)) };
};

/** Formats the cursor after the row `last` of a page, given the row that follows it; null if none follows. */
export const formatCursor = (last: RowKey, next: RowKey | undefined): string | null => {
  if (!next) return null;
  const instant = instantOf(last.ms);
  // Only rows of the same millisecond need the number.
  return next.ms === last.ms ? instant.replace('Z', `${String(last.number).padStart(numberDigits, '0')}Z`) : instant;
};

/** The condition on rows after the cursor. The additional condition on `ts` alone lets ClickHouse use the primary index. */
export const isAfterCursor = ({ ms, nanosPastMs, number }: Cursor, sort: SortOrder): Sql => {
  if (number === undefined)
    return sort === 'asc' ? sql`ts >= ${instantSql(ms + 1)}` : sql`ts < ${instantSql(nanosPastMs > 0 ? ms + 1 : ms)}`;
  const row = sql`(${instantSql(ms)}, ${bind('UInt64', number)})`;
  return sort === 'asc'
    ? sql`ts >= ${instantSql(ms)} AND (ts, number) > ${row}`
    : sql`ts <= ${instantSql(ms)} AND (ts, number) < ${row}`;
};
