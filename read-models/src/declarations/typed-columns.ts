import type { Dataset, DatasetColumn, FileColumn, ValueKind } from './dataset.ts';

const types: Readonly<Record<ValueKind | 'minutes', readonly [parquet: string, clickHouse: string]>> = {
  whole: ['INT64', 'Nullable(Int64)'],
  fraction: ['DOUBLE', 'Nullable(Float64)'],
  text: ['STRING', 'Nullable(String)'],
  truth: ['BOOLEAN', 'Nullable(Bool)'],
  instant: ['TIMESTAMP(MILLIS, UTC)', "Nullable(DateTime64(3, 'UTC'))"],
  day: ['DATE', 'Nullable(Date32)'],
  minutes: ['INT32', 'Nullable(Int32)'],
  texts: ['LIST<STRING>', 'Array(String)'],
  fractions: ['LIST<DOUBLE>', 'Array(Float64)'],
  instants: ['LIST<TIMESTAMP(MILLIS, UTC)>', "Array(DateTime64(3, 'UTC'))"],
};

/** A list whose value is unknown is empty in the file, even if `isNullable` holds. */
export interface TypedColumn extends Pick<DatasetColumn, 'name' | 'type' | 'about' | 'isNullable' | 'vocabulary'> {
  readonly parquetType: string;
  readonly sql: string;
  /** Whether JSON and CSV have the column, too. */
  readonly isInText: boolean;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;

/** ClickHouse has no nullable lists, so a list that is null in JSON is empty in a file with strict types. */
const castTo = (kind: ValueKind | 'minutes', sql: string): string =>
  types[kind][1].startsWith('Array')
    ? `variantElement(${sql}, ${quoted(types[kind][1])})`
    : `CAST(${sql}, ${quoted(types[kind][1])})`;

const typedColumn = (column: FileColumn, isInText: boolean): TypedColumn => {
  const { name, type, about, isNullable, vocabulary, valueKind, times, sql } = column;
  return {
    name,
    type,
    about,
    isNullable,
    ...(vocabulary && { vocabulary }),
    parquetType: types[valueKind][0],
    sql: castTo(valueKind, times?.instant ?? sql),
    isInText,
  };
};

const localColumns = ({ name, about, isNullable, times }: DatasetColumn): readonly TypedColumn[] => {
  if (!times?.local) return [];
  const { text, offsetMinutes } = times.local;
  return [
    {
      name: `${name}_LOCAL`,
      type: 'string',
      about: `${about}: local time, YYYY-MM-DDTHH:mm:ss.SSS`,
      isNullable,
      parquetType: types.text[0],
      sql: castTo('text', text),
      isInText: false,
    },
    {
      name: `${name}_OFFSET_MINUTES`,
      type: 'number',
      about: `${about}: minutes that local time is ahead of UTC`,
      isNullable,
      parquetType: types.minutes[0],
      sql: castTo('minutes', offsetMinutes),
      isInText: false,
    },
  ];
};

/** A timestamp is an instant, followed by its local time and its offset if JSON and CSV show it in a zone. */
export const typedColumns = ({ columns, typedOnlyColumns }: Dataset): readonly TypedColumn[] => [
  ...columns.flatMap((column) => [typedColumn(column, true), ...localColumns(column)]),
  ...typedOnlyColumns.map((column) => typedColumn(column, false)),
];
