import type { TableDefinition } from '@popsvc/platform/clickhouse';

/** Types as the contract names them (service.md 2.5). */
export type ColumnType = 'number' | 'string' | 'float' | 'timestamp' | 'date' | 'boolean' | 'array';

/** What values are where types are strict, as in Parquet: whole and other numbers, text, truth, and lists of them. Any may be missing. */
export type ValueKind = 'whole' | 'fraction' | 'text' | 'truth' | 'texts' | 'fractions';

/** A column of a dataset: told once for JSON, CSV, OpenAPI, the documentation and the SQL that makes it. */
export interface DatasetColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly valueKind: ValueKind;
  readonly about: string;
  /** ClickHouse expression over the row table (contracts/tables). */
  readonly sql: string;
  /** Closed vocabulary, where there is one. */
  readonly vocabulary?: readonly string[];
}

const make =
  (type: ColumnType, holds: ValueKind) =>
  (name: string, about: string, sql: string, words?: readonly string[]): DatasetColumn => ({
    name,
    type,
    valueKind: holds,
    about,
    sql,
    ...(words && { vocabulary: words }),
  });

export const number = make('number', 'whole');
/** A number that may have decimals, where the contract says no more than number. */
export const decimal = make('number', 'fraction');
export const string = make('string', 'text');
export const float = make('float', 'fraction');
export const timestamp = make('timestamp', 'text');
export const date = make('date', 'text');
export const boolean = make('boolean', 'truth');
export const texts = make('array', 'texts');
export const fractions = make('array', 'fractions');

/** A report partners read: its columns, and the table whose rows they are made of (sorted by network, ts, number). */
export interface Dataset {
  readonly name: string;
  readonly about: string;
  readonly table: TableDefinition;
  readonly columns: readonly DatasetColumn[];
}
