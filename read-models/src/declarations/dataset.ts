import type { TableDefinition } from '@popsvc/platform/clickhouse';

/** Column types, as shown in the API's metadata and documentation. */
export type ColumnType = 'number' | 'string' | 'float' | 'timestamp' | 'date' | 'boolean' | 'array';

/** Type of the values in formats with strict types, such as Parquet. Every value may be null. */
export type ValueKind = 'whole' | 'fraction' | 'text' | 'truth' | 'texts' | 'fractions';

/** A column of a dataset. SQL, JSON, CSV, Parquet, OpenAPI and the documentation are all derived from this declaration. */
export interface DatasetColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly valueKind: ValueKind;
  readonly about: string;
  /** ClickHouse expression over the columns of the dataset's source table. */
  readonly sql: string;
  /** True when the expression may be NULL. */
  readonly isNullable: boolean;
  /** The allowed values, if the column has a closed vocabulary. */
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
/** A number with decimals. In the API's documentation it has the type `number`, like whole numbers. */
export const decimal = make('number', 'fraction');
export const string = make('string', 'text');
export const float = make('float', 'fraction');
export const timestamp = make('timestamp', 'text');
export const date = make('date', 'text');
export const boolean = make('boolean', 'truth');
export const texts = make('array', 'texts');
export const fractions = make('array', 'fractions');

/** A report for partners. The rows of its source table must be sorted by `network_id`, `ts` and `number`. */
export interface Dataset {
  readonly name: string;
  readonly about: string;
  readonly table: TableDefinition;
  readonly columns: readonly DatasetColumn[];
}
