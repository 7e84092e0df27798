import type { TableDefinition } from './define-table.ts';

/** A column of a view: its ClickHouse type, what it means, and what it is made of. */
export interface ViewField {
  readonly type: string;
  readonly about: string;
  /** Columns of the table are `r.{name}`: a bare name may be the view's own. */
  readonly sql: string;
}

/** What readers see of a table besides its rows as they are; like those it always shows the live generation. */
export interface ViewDefinition {
  /** Readers use `{name}_live`. */
  readonly name: string;
  readonly about: string;
  readonly over: TableDefinition;
  /** What stands for `r` where that is not the rows of the table alone; it is given how tables are read. */
  readonly from?: (rowsOf: (table: TableDefinition) => string) => string;
  readonly fields: Readonly<Record<string, ViewField>>;
  /** Columns of `r`; none: a row of the view is a row of `r`. */
  readonly groupBy: readonly string[];
}

export const defineView = <const Definition extends ViewDefinition>(definition: Definition): Definition => definition;
