import { type DatasetColumn, makeColumn } from './dataset.ts';
import { localWithoutOffsetSql, offsetMinutesSql } from './local-times.ts';
import type { RowField } from './packed-row.ts';
import {
  type Condition,
  type Instant,
  local,
  locals,
  nullableList,
  nullableListSql,
  unless,
  unlessSql,
  utc,
} from './values.ts';

const makeTimestamp = makeColumn('timestamp', 'instant');
const makeTimestamps = makeColumn('array', 'instants');

/** JSON and CSV show the time in a zone. Null if `isUnknown` holds. */
export const timestamp = (
  name: string,
  about: string,
  instant: Instant,
  zone: RowField,
  isUnknown?: Condition,
): DatasetColumn => {
  const shown = local(instant, zone);
  const sqlOf = (sql: string) => (isUnknown ? unlessSql(isUnknown, sql) : sql);
  return {
    ...makeTimestamp(name, about, isUnknown ? unless(isUnknown, shown) : shown),
    times: {
      instant: sqlOf(instant.sql),
      local: {
        text: sqlOf(localWithoutOffsetSql(instant.sql, zone.sql)),
        offsetMinutes: sqlOf(offsetMinutesSql(instant.sql, zone.sql)),
      },
    },
  };
};

export const utcTimestamp = (name: string, about: string, instant: Instant): DatasetColumn => ({
  ...makeTimestamp(name, about, utc(instant)),
  times: { instant: instant.sql },
});

/** JSON and CSV show the times in a zone. Null if `isUnknown` holds. */
export const timestamps = (
  name: string,
  about: string,
  instants: RowField,
  zone: RowField,
  isUnknown: Condition,
): DatasetColumn => ({
  ...makeTimestamps(name, about, nullableList(unless(isUnknown, locals(instants, zone)), 'String')),
  times: { instant: nullableListSql(unlessSql(isUnknown, instants.sql), "DateTime64(3, 'UTC')") },
});
