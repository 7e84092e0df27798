/** A physical column: its ClickHouse type and what it means. */
export interface Field {
  readonly type: string;
  readonly about: string;
  /** True for the time or batch in which a row was written. Two builds from the same events may differ in such columns. */
  readonly isIncidental?: true;
}

export interface TableDefinition {
  /** Name without generation; the physical table is `{name}_g{generation}`. */
  readonly name: string;
  readonly about: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly orderBy: readonly string[];
  /** An expression of sort key columns only, so that rows that replace each other are always in one partition. */
  readonly partitionBy?: string;
  /** Arguments of ReplacingMergeTree: the row with the highest `version` replaces the others; `deleted` marks a removed row. */
  readonly replacing: { readonly version?: string; readonly deleted?: string };
  /** The column by whose UTC day generations are compared. */
  readonly day?: string;
  readonly indexes?: Readonly<Record<string, string>>;
  readonly granularity?: number;
}

export const field = (type: string, about: string): Field => ({ type, about });

export const incidental = (of: Field): Field => ({ ...of, isIncidental: true });

export const defineTable = <const Definition extends TableDefinition>(definition: Definition): Definition => definition;

/** Returns the name of the table of one generation, such as `coffee_g7`. */
export const generationTable = ({ name }: Pick<TableDefinition, 'name'>, generation: number): string =>
  `${name}_g${generation}`;

/** A column of a view: its ClickHouse type, its meaning and its expression. */
export interface ViewField {
  readonly type: string;
  readonly about: string;
  /** Columns of the table are written `r.{name}`, because a bare name may refer to a column of the view. */
  readonly sql: string;
}

/** A view over a table; it always shows the live generation. */
export interface ViewDefinition {
  /** Readers use `{name}_live`. */
  readonly name: string;
  readonly about: string;
  readonly over: TableDefinition;
  /** Builds the query named `r`; default: the rows of `over`. `rowsOf` returns the query of a table's current rows. */
  readonly from?: (rowsOf: (table: TableDefinition) => string) => string;
  readonly fields: Readonly<Record<string, ViewField>>;
  /** Columns of `r`; if empty, each row of `r` is a row of the view. */
  readonly groupBy: readonly string[];
}

export const defineView = <const Definition extends ViewDefinition>(definition: Definition): Definition => definition;

export const quoteIdentifier = (identifier: string): string => `\`${identifier.replaceAll('`', '')}\``;
export const quoteString = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Durability and deduplication are set on the table because their defaults differ between ClickHouse versions. */
const tableSettings = {
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  non_replicated_deduplication_window: 1000,
} as const;

export const columnDefinition = ([fieldName, { type, about }]: readonly [string, Field]): string =>
  `  ${quoteIdentifier(fieldName)} ${type} COMMENT ${quoteString(about)}`;

/** Builds CREATE TABLE for one generation, with comments on the table and on every column. */
export const createTable = (table: TableDefinition, generation: number): string => {
  const { version, deleted } = table.replacing;
  const settings = { ...tableSettings, index_granularity: table.granularity ?? 8192 };
  return [
    `CREATE TABLE IF NOT EXISTS ${quoteIdentifier(generationTable(table, generation))} (`,
    [
      ...Object.entries(table.fields).map(columnDefinition),
      ...Object.entries(table.indexes ?? {}).map(
        ([index, definition]) => `  INDEX ${quoteIdentifier(index)} ${definition}`,
      ),
    ].join(',\n'),
    `) ENGINE = ReplacingMergeTree(${[version, deleted].filter((argument) => argument !== undefined).join(', ')})`,
    ...(table.partitionBy === undefined ? [] : [`PARTITION BY ${table.partitionBy}`]),
    `ORDER BY (${table.orderBy.map(quoteIdentifier).join(', ')})`,
    `SETTINGS ${Object.entries(settings)
      .map(([setting, value]) => `${setting} = ${value}`)
      .join(', ')}`,
    `COMMENT ${quoteString(table.about)}`,
  ].join('\n');
};

/** Builds ALTER TABLE that adds columns to a table of an earlier release. Existing rows get default values. */
export const addColumns = (table: TableDefinition, generation: number, missing: readonly string[]): string => {
  const added = Object.entries(table.fields).filter(([fieldName]) => missing.includes(fieldName));
  const clauses = added.map((field) => `ADD COLUMN IF NOT EXISTS ${columnDefinition(field).trim()}`);
  return `ALTER TABLE ${quoteIdentifier(generationTable(table, generation))} ${clauses.join(', ')}`;
};

/** Builds the view through which readers see the live generation of a table. */
export const createLiveView = (table: TableDefinition, generation: number): string =>
  `CREATE OR REPLACE VIEW ${quoteIdentifier(`${table.name}_live`)} AS SELECT * FROM ${quoteIdentifier(generationTable(table, generation))} FINAL`;

/** The rows that a view shows. */
export interface ViewScope {
  /** Appended to the name of the view. */
  readonly suffix: string;
  /** A WHERE clause with a leading space, added to each table that the view reads; may be empty. */
  readonly where: string;
  /** The comment of the view; default: its description. */
  readonly comment?: string;
}

const allRows: ViewScope = { suffix: 'live', where: '' };

export const selectRows =
  (generation: number, { where }: ViewScope) =>
  (table: TableDefinition): string =>
    `SELECT * FROM ${quoteIdentifier(generationTable(table, generation))} FINAL${where}`;

/** Builds CREATE VIEW for a declared view over one generation, with comments on it and on every column. */
export const createView = (
  { name: view, about, over, from, fields, groupBy }: ViewDefinition,
  generation: number,
  scope = allRows,
): string => {
  const source = from
    ? `(${from(selectRows(generation, scope))}) AS r`
    : `${quoteIdentifier(generationTable(over, generation))} AS r FINAL${scope.where}`;
  const selected = Object.entries(fields).map(([as, { sql }]) => `${sql} AS ${quoteIdentifier(as)}`);
  return [
    `CREATE OR REPLACE VIEW ${quoteIdentifier(`${view}_${scope.suffix}`)} (`,
    Object.entries(fields).map(columnDefinition).join(',\n'),
    `) AS SELECT ${selected.join(', ')} FROM ${source}`,
    ...(groupBy.length > 0 ? [`GROUP BY ${groupBy.map((key) => `r.${quoteIdentifier(key)}`).join(', ')}`] : []),
    `COMMENT ${quoteString(scope.comment ?? about)}`,
  ].join('\n');
};

/** Returns the tables that a view reads. */
export const tablesReadBy = ({ over, from }: ViewDefinition): readonly TableDefinition[] => {
  if (!from) return [over];
  const tables = new Set<TableDefinition>();
  from((table) => {
    tables.add(table);
    return table.name;
  });
  return [...tables];
};

/** A table as ClickHouse reports it. */
export interface StoredTable {
  /** Engine with its arguments, keys and settings: `engine_full` of system.tables. */
  readonly engine: string;
  readonly sortingKey: string;
  /** Types by name. */
  readonly columns: ReadonlyMap<string, string>;
}

const withoutSpacesAndQuotes = (text: string) => text.replaceAll(/[\s`]/g, '');

/** ClickHouse reports a sort key of one column with or without parentheses, as the statement was written. */
const withoutParentheses = (key: string) => key.replace(/^\((.*)\)$/, '$1');

/**
 * Returns the arguments of ReplacingMergeTree; undefined for another engine. On a cluster, ClickHouse adds a prefix to the name of
 * the engine and quoted paths before its arguments.
 */
const replacingArguments = (engine: string): string | undefined => {
  const [found, list = ''] = /^(?:Replicated|Shared)?ReplacingMergeTree\b(?:\(([^)]*)\))?/.exec(engine) ?? [];
  if (found === undefined) return undefined;
  const all = list.split(',').map((argument) => argument.trim());
  return all.filter((argument) => !argument.startsWith("'")).join(', ');
};

const findColumnDrift = ({ fields }: TableDefinition, { columns }: StoredTable): string[] =>
  Object.entries(fields).flatMap(([name, { type }]) => {
    const found = columns.get(name);
    if (found === undefined) return [`column ${name} is missing`];
    return withoutSpacesAndQuotes(found) === withoutSpacesAndQuotes(type)
      ? []
      : [`column ${name} is ${found}, should be ${type}`];
  });

const findSettingDrift = ({ engine }: StoredTable): string[] =>
  Object.entries(tableSettings).flatMap(([name, value]) => {
    const found = new RegExp(`\\b${name} = (\\w+)`).exec(engine)?.[1];
    return found === String(value) ? [] : [`setting ${name} is ${found ?? 'not set'}, should be ${value}`];
  });

/** Returns how a table differs from the result of `createTable`; empty if it does not. Additional columns are ignored. */
export const findTableDrift = (table: TableDefinition, found: StoredTable): readonly string[] => {
  const { version, deleted } = table.replacing;
  const expected = [version, deleted].filter((argument) => argument !== undefined).join(', ');
  const isEngineRight = replacingArguments(found.engine) === expected;
  const key = table.orderBy.join(', ');
  return [
    ...(isEngineRight
      ? []
      : [
          `engine is ${/^\w+(?:\([^)]*\))?/.exec(found.engine)?.[0] ?? found.engine}, should be ReplacingMergeTree(${expected})`,
        ]),
    ...(withoutParentheses(withoutSpacesAndQuotes(found.sortingKey)) === withoutSpacesAndQuotes(key)
      ? []
      : [`sorted by ${found.sortingKey}, should be ${key}`]),
    ...findColumnDrift(table, found),
    ...(isEngineRight ? findSettingDrift(found) : []),
  ];
};
