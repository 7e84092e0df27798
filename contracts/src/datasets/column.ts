/** Types as the contract names them (service.md 2.5). */
export type ColumnType = 'number' | 'string' | 'float' | 'timestamp' | 'date' | 'boolean' | 'array';

/** A column of a dataset: told once for JSON, CSV, OpenAPI, the documentation and the SQL that makes it. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly about: string;
  /** ClickHouse expression over the row table (contracts/tables). */
  readonly sql: string;
  /** Closed vocabulary, where there is one. */
  readonly words?: readonly string[];
}

const make =
  (type: ColumnType) =>
  (name: string, about: string, sql: string, words?: readonly string[]): Column => ({
    name,
    type,
    about,
    sql,
    ...(words && { words }),
  });

export const number = make('number');
export const string = make('string');
export const float = make('float');
export const timestamp = make('timestamp');
export const date = make('date');
export const boolean = make('boolean');
export const array = make('array');
