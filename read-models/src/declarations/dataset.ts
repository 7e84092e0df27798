import type { TableDefinition } from '@popsvc/platform/clickhouse';
import type { PageFields } from './packed-row.ts';
import type { Render, Value } from './values.ts';

/** Column types, as shown in the API's metadata and documentation. */
export type ColumnType = 'number' | 'string' | 'float' | 'timestamp' | 'date' | 'boolean' | 'array';

/** Type of the values in formats with strict types, such as Parquet. */
export type ValueKind =
  'whole' | 'fraction' | 'text' | 'truth' | 'instant' | 'day' | 'texts' | 'fractions' | 'instants';

/** SQL for the times of a column, which JSON and CSV show as text. */
export interface ColumnTimes {
  /** ClickHouse expression for the DateTime64, or for the array of DateTime64 values. */
  readonly instant: string;
  /** Local time of the zone as text, and its minutes ahead of UTC. Undefined if the column shows UTC or an array. */
  readonly local?: { readonly text: string; readonly offsetMinutes: string };
}

/** A column of a dataset. Pages, files, OpenAPI and the documentation are all derived from this declaration. */
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
  /** The allowed values, if the column has a closed vocabulary. */
  readonly vocabulary?: readonly string[];
}

/** A column that pages lack. Only files have it, so only its SQL is used. */
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
/** A number with decimals. The API's documentation gives it the type `number`, as for whole numbers. */
export const decimal = makeColumn('number', 'fraction');
export const string = makeColumn('string', 'text');
export const float = makeColumn('float', 'fraction');
export const date = makeColumn('date', 'day');
export const boolean = makeColumn('boolean', 'truth');
export const texts = makeColumn('array', 'texts');
export const fractions = makeColumn('array', 'fractions');

/** A level of a hierarchy. `key` and `label`: the columns with id and name of its members. */
export interface HierarchyLevel {
  readonly name: string;
  readonly key: string;
  readonly label: string;
}

/**
 * Columns by which reports are drilled down, from the coarsest level to the finest. The name of a member is unique only within its
 * parent.
 */
export interface Hierarchy {
  readonly name: string;
  readonly about: string;
  readonly levels: readonly HierarchyLevel[];
}

/** A report for partners. The rows of its source table must be sorted by `network_id`, `ts` and `number`. */
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
  /**
   * Columns that only formats with strict types, such as Parquet, have. JSON and CSV lack them, because the columns of JSON and CSV are
   * fixed.
   */
  readonly typedOnlyColumns: readonly FileColumn[];
  readonly hierarchies: readonly Hierarchy[];
}
