import type { TableDefinition } from '@popsvc/platform/clickhouse';
import type { PageFields } from './packed-row.ts';
import type { Render, Value } from './values.ts';

export type ColumnType = 'number' | 'string' | 'float' | 'timestamp' | 'date' | 'boolean' | 'array';

/** Type of the values in OpenAPI and in formats with strict types, such as Parquet. */
export type ValueKind =
  'whole' | 'fraction' | 'text' | 'truth' | 'instant' | 'day' | 'texts' | 'fractions' | 'instants';

/** SQL of the times in formats with strict types; JSON and CSV show them as text. */
export interface ColumnTimes {
  readonly instant: string;
  /** Undefined if the column shows UTC or an array. */
  readonly local?: { readonly text: string; readonly offsetMinutes: string };
}

/** Pages, files, OpenAPI and the documentation are all derived from this declaration. */
export interface DatasetColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly valueKind: ValueKind;
  readonly about: string;
  /** ClickHouse expression over the columns of the dataset's source table. */
  readonly sql: string;
  readonly isNullable: boolean;
  /** Returns the column's value in a row of a page, as JSON. */
  readonly render: Render;
  readonly times?: ColumnTimes;
  readonly vocabulary?: readonly string[];
}

/** Only files have the column, so only its SQL is used. */
export type FileColumn = Omit<DatasetColumn, 'render'>;

export const makeColumn =
  (type: ColumnType, valueKind: ValueKind) =>
  (name: string, about: string, shown: Value, vocabulary?: readonly string[]): DatasetColumn => ({
    name,
    type,
    valueKind,
    about,
    ...shown,
    ...(vocabulary && { vocabulary }),
  });

export const number = makeColumn('number', 'whole');
/** The data dictionary gives these fractions the type `number`, like whole numbers. */
export const decimal = makeColumn('number', 'fraction');
export const string = makeColumn('string', 'text');
export const float = makeColumn('float', 'fraction');
export const date = makeColumn('date', 'day');
export const boolean = makeColumn('boolean', 'truth');
export const texts = makeColumn('array', 'texts');
export const fractions = makeColumn('array', 'fractions');

/** `key` and `label`: the columns with id and name of the level's members. */
export interface HierarchyLevel {
  readonly name: string;
  readonly key: string;
  readonly label: string;
}

/** From the coarsest level to the finest. The name of a member is unique only within its parent. */
export interface Hierarchy {
  readonly name: string;
  readonly about: string;
  readonly levels: readonly HierarchyLevel[];
}

/** The rows of the source table must be sorted by `network_id`, `ts` and `number`. */
export interface Dataset {
  readonly name: string;
  readonly about: string;
  /** What the time of a row is, and the column that shows it. Reports select, sort and page by this time. */
  readonly time: string;
  readonly table: TableDefinition;
  /** Rows of `table` that newer rows replaced, or that were withdrawn. */
  readonly history: TableDefinition;
  readonly page: PageFields;
  readonly columns: readonly DatasetColumn[];
  /** Further columns that only formats with strict types have, such as Parquet. The columns of JSON and CSV are fixed. */
  readonly typedOnlyColumns: readonly FileColumn[];
  readonly hierarchies: readonly Hierarchy[];
}
