import type { TableDefinition } from '@popsvc/platform/clickhouse';

/** Types of columns as the API's metadata and documentation name them. */
export type ColumnType = 'number' | 'string' | 'float' | 'timestamp' | 'date' | 'boolean' | 'array';

/** Type of the values in strictly typed formats such as Parquet, where every value may be null. */
export type ValueKind = 'whole' | 'fraction' | 'text' | 'truth' | 'texts' | 'fractions';

/** A column of a dataset: the one declaration for SQL, JSON, CSV, Parquet, OpenAPI and documentation. */
export interface DatasetColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly valueKind: ValueKind;
  readonly about: string;
  /** ClickHouse expression over the columns of `table`. */
  readonly sql: string;
  /** True when the expression may be NULL. */
  readonly isNullable: boolean;
  /** Values of a closed vocabulary, if any. */
  readonly vocabulary?: readonly string[];
}

/** A ClickHouse expression that may be NULL. */
export interface NullableSql {
  readonly nullable: string;
}

export const nullable = (sql: string): NullableSql => ({ nullable: sql });

const make =
  (type: ColumnType, valueKind: ValueKind) =>
  (name: string, about: string, sql: string | NullableSql, vocabulary?: readonly string[]): DatasetColumn => ({
    name,
    type,
    valueKind,
    about,
    ...(typeof sql === 'string' ? { sql, isNullable: false } : { sql: sql.nullable, isNullable: true }),
    ...(vocabulary && { vocabulary }),
  });

export const number = make('number', 'whole');
/** A number with decimals, which the API's documentation calls `number`, like whole numbers. */
export const decimal = make('number', 'fraction');
export const string = make('string', 'text');
export const float = make('float', 'fraction');
export const timestamp = make('timestamp', 'text');
export const date = make('date', 'text');
export const boolean = make('boolean', 'truth');
export const texts = make('array', 'texts');
export const fractions = make('array', 'fractions');

/** A report for partners: its columns and its source table (sorted by network, ts, number). */
export interface Dataset {
  readonly name: string;
  readonly about: string;
  readonly table: TableDefinition;
  readonly columns: readonly DatasetColumn[];
}
