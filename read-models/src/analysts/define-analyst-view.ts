import type { TableDefinition } from '@popsvc/platform/clickhouse';

/** Stands in SQL of this room where the name of the database goes that holds the tables. */
export const TABLES_DATABASE = '{house}';

/** A column as analysts see it. */
export interface AnalystColumn {
  readonly type: string;
  readonly about: string;
  /** Over `r`, the rows the view is made from. */
  readonly sql: string;
}

/** What analysts read: rows of their networks alone, of the live generation, with names in place of keys of ours. */
export interface AnalystView {
  readonly name: string;
  /** What a row is, and how to count. */
  readonly about: string;
  /** What stands after FROM and names its rows `r`. Tables are read by `own`, which leaves out what is not the reader's. */
  readonly from: string;
  readonly columns: Readonly<Record<string, AnalystColumn>>;
  /** Expressions over `r`; none: a row of the view is a row of `r`. */
  readonly groupBy?: readonly string[];
}

export const defineAnalystView = <const View extends AnalystView>(view: View): View => view;

/** The rows of a table, or of a view of ours, that belong to the networks of whoever asks. */
export const ownRows = ({ name }: { readonly name: string }): string => `${TABLES_DATABASE}.${name}_own`;

/** A name, or null while it is not known. */
export const dictionaryValue = (dictionary: string, attribute: string, key: string): string =>
  `dictGetOrNull('${TABLES_DATABASE}.dict_${dictionary}', '${attribute}', ${key})`;

export const column = (type: string, about: string, sql: string): AnalystColumn => ({ type, about, sql });

/** A column as the table has it, with its words. */
export const as = (table: TableDefinition, field: string, sql = `r.${field}`, about?: string): AnalystColumn => {
  const { type, about: words } = table.fields[field]!;
  return { type, about: about ?? words, sql };
};

/**
 * A column of a sort key that only its rows may tell of. While ClickHouse looks for the blocks to read, it tries conditions on
 * what the index holds of all networks; a condition made to fail would say by its error what it saw. Through these functions it
 * does not look. Times are left as they are, since without them every query would read everything.
 */
export const unseenNumber = (sql: string): string => `bitOr(${sql}, 0)`;
export const unseenText = (sql: string): string => `concat(${sql}, '')`;
