/** Types as the contract names them (service.md 2.5). */
export type ColumnType = 'number' | 'string' | 'float' | 'timestamp' | 'date' | 'boolean' | 'array';
/** What values are where types are strict, as in Parquet: whole and other numbers, text, truth, and lists of them. Any may be missing. */
export type Holds = 'whole' | 'fraction' | 'text' | 'truth' | 'texts' | 'fractions';
/** A column of a dataset: told once for JSON, CSV, OpenAPI, the documentation and the SQL that makes it. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly holds: Holds;
  readonly about: string;
  /** ClickHouse expression over the row table (contracts/tables). */
  readonly sql: string;
  /** Closed vocabulary, where there is one. */
  readonly words?: readonly string[];
}
export declare const number: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
/** A number that may have decimals, where the contract says no more than number. */
export declare const decimal: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
export declare const string: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
export declare const float: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
export declare const timestamp: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
export declare const date: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
export declare const boolean: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
export declare const texts: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
export declare const fractions: (name: string, about: string, sql: string, words?: readonly string[]) => Column;
//# sourceMappingURL=column.d.ts.map
