import { type DatasetColumn, makeColumn, type NullableSql } from './dataset.ts';
import { local, locals, localWithoutOffset, offsetMinutes, utc } from './dataset-sql.ts';

/** Changes an expression, for example to one that is null in some rows. */
type Wrap = (sql: string) => string | NullableSql;

const asIs: Wrap = (sql) => sql;
const sqlOf = (sql: string | NullableSql): string => (typeof sql === 'string' ? sql : sql.nullable);

const makeTimestamp = makeColumn('timestamp', 'instant');
const makeTimestamps = makeColumn('array', 'instants');

/** A time that JSON and CSV show in a zone. `instant`: a DateTime64. */
export const timestamp = (
  name: string,
  about: string,
  instant: string,
  zone: string,
  wrap: Wrap = asIs,
): DatasetColumn => ({
  ...makeTimestamp(name, about, wrap(local(instant, zone))),
  times: {
    instant: sqlOf(wrap(instant)),
    local: {
      text: sqlOf(wrap(localWithoutOffset(instant, zone))),
      offsetMinutes: sqlOf(wrap(offsetMinutes(instant, zone))),
    },
  },
});

/** A time that JSON and CSV show in UTC. */
export const utcTimestamp = (name: string, about: string, instant: string): DatasetColumn => ({
  ...makeTimestamp(name, about, utc(instant)),
  times: { instant },
});

/**
 * A list of times that JSON and CSV show in a zone. `instants`: an array of DateTime64. `wrap` gets the type of the elements in
 * ClickHouse.
 */
export const timestamps = (
  name: string,
  about: string,
  instants: string,
  zone: string,
  wrap: (sql: string, elements: string) => NullableSql,
): DatasetColumn => ({
  ...makeTimestamps(name, about, wrap(locals(instants, zone), 'String')),
  times: { instant: wrap(instants, "DateTime64(3, 'UTC')").nullable },
});
