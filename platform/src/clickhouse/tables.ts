/** A physical column: its ClickHouse type and what it means. */
export interface Field {
  readonly type: string;
  readonly about: string;
  /** When or in which batch the row was made: builds from the same events may differ in it, and still say the same. */
  readonly isIncidental?: true;
}

export interface TableDefinition {
  /** Name without generation; the physical table is `{name}_g{generation}`. */
  readonly name: string;
  readonly about: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly orderBy: readonly string[];
  /** A function of the sort key alone, so that rows which replace each other are always in one partition. */
  readonly partitionBy?: string;
  /** Column that decides which of several rows of one key stands, and the one that marks it as gone. */
  readonly replacing: { readonly version?: string; readonly deleted?: string };
  /** Column whose UTC day tells apart what is compared, where there is one. */
  readonly day?: string;
  readonly indexes?: Readonly<Record<string, string>>;
  readonly granularity?: number;
}

export const field = (type: string, about: string): Field => ({ type, about });

export const incidental = (of: Field): Field => ({ ...of, isIncidental: true });

export const defineTable = <const Definition extends TableDefinition>(definition: Definition): Definition => definition;

/** `coffee_g7`: the table of one generation. */
export const generationTable = ({ name }: Pick<TableDefinition, 'name'>, generation: number): string =>
  `${name}_g${generation}`;

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

export const quoteIdentifier = (identifier: string): string => `\`${identifier.replaceAll('`', '')}\``;
export const quoteString = (words: string): string => `'${words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Durability and deduplication are pinned on the table: their defaults moved between versions of the server. */
const tableSettings = {
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  non_replicated_deduplication_window: 1000,
} as const;

export const columnDefinition = ([fieldName, { type, about }]: readonly [string, Field]): string =>
  `  ${quoteIdentifier(fieldName)} ${type} COMMENT ${quoteString(about)}`;

/** CREATE TABLE of one generation, with comments on the table and on every column. */
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

/** Adds columns to a table that was made by an earlier build; its rows have nothing in them. */
export const addColumns = (table: TableDefinition, generation: number, missing: readonly string[]): string => {
  const added = Object.entries(table.fields).filter(([fieldName]) => missing.includes(fieldName));
  const clauses = added.map((field) => `ADD COLUMN IF NOT EXISTS ${columnDefinition(field).trim()}`);
  return `ALTER TABLE ${quoteIdentifier(generationTable(table, generation))} ${clauses.join(', ')}`;
};

/** The view through which readers see the live generation. */
export const createLiveView = (table: TableDefinition, generation: number): string =>
  `CREATE OR REPLACE VIEW ${quoteIdentifier(`${table.name}_live`)} AS SELECT * FROM ${quoteIdentifier(generationTable(table, generation))} FINAL`;

/** Whose rows a view shows: how it is called, and what is said of the rows of each table that it reads. */
export interface ViewScope {
  readonly suffix: string;
  readonly where: string;
}

const everybody: ViewScope = { suffix: 'live', where: '' };

export const selectRows =
  (generation: number, { where }: ViewScope) =>
  (table: TableDefinition): string =>
    `SELECT * FROM ${quoteIdentifier(generationTable(table, generation))} FINAL${where}`;

/** A view of our own over the live generation, with comments on it and on every column. */
export const createView = (
  { name: view, about, over, from, fields, groupBy }: ViewDefinition,
  generation: number,
  sight = everybody,
): string => {
  const source = from
    ? `(${from(selectRows(generation, sight))}) AS r`
    : `${quoteIdentifier(generationTable(over, generation))} AS r FINAL${sight.where}`;
  const selected = Object.entries(fields).map(([as, { sql }]) => `${sql} AS ${quoteIdentifier(as)}`);
  return [
    `CREATE OR REPLACE VIEW ${quoteIdentifier(`${view}_${sight.suffix}`)} (`,
    Object.entries(fields).map(columnDefinition).join(',\n'),
    `) AS SELECT ${selected.join(', ')} FROM ${source}`,
    ...(groupBy.length > 0 ? [`GROUP BY ${groupBy.map((key) => `r.${quoteIdentifier(key)}`).join(', ')}`] : []),
    `COMMENT ${quoteString(about)}`,
  ].join('\n');
};

/** A table as the server tells it. */
export interface StoredTable {
  /** Engine with its arguments, keys and settings, as `engine_full` in system.tables. */
  readonly engine: string;
  readonly sortingKey: string;
  /** Types by name. */
  readonly columns: ReadonlyMap<string, string>;
}

const bare = (text: string) => text.replaceAll(/[\s`]/g, '');

/** The server writes a key of one column with and without them, as the statement had it. */
const unbraced = (key: string) => key.replace(/^\((.*)\)$/, '$1');

/**
 * Arguments of the engine; undefined where it is another one. A server on a cluster has put a word before its name, and paths before
 * its arguments.
 */
const argumentsOf = (engine: string): string | undefined => {
  const [found, told = ''] = /^(?:Replicated|Shared)?ReplacingMergeTree\b(?:\(([^)]*)\))?/.exec(engine) ?? [];
  if (found === undefined) return undefined;
  const all = told.split(',').map((argument) => argument.trim());
  return all.filter((argument) => !argument.startsWith("'")).join(', ');
};

const ofColumns = ({ fields }: TableDefinition, { columns }: StoredTable): string[] =>
  Object.entries(fields).flatMap(([name, { type }]) => {
    const found = columns.get(name);
    if (found === undefined) return [`column ${name} is missing`];
    return bare(found) === bare(type) ? [] : [`column ${name} is ${found}, should be ${type}`];
  });

const ofSettings = ({ engine }: StoredTable): string[] =>
  Object.entries(tableSettings).flatMap(([name, value]) => {
    const found = new RegExp(`\\b${name} = (\\w+)`).exec(engine)?.[1];
    return found === String(value) ? [] : [`setting ${name} is ${found ?? 'not set'}, should be ${value}`];
  });

/** How a table differs from what `createTable` would make; nothing when it does not. Columns it has besides are nobody's harm. */
export const findTableDrift = (table: TableDefinition, found: StoredTable): readonly string[] => {
  const { version, deleted } = table.replacing;
  const wanted = [version, deleted].filter((argument) => argument !== undefined).join(', ');
  const isOurs = argumentsOf(found.engine) === wanted;
  const key = table.orderBy.join(', ');
  return [
    ...(isOurs
      ? []
      : [
          `engine is ${/^\w+(?:\([^)]*\))?/.exec(found.engine)?.[0] ?? found.engine}, should be ReplacingMergeTree(${wanted})`,
        ]),
    ...(unbraced(bare(found.sortingKey)) === bare(key) ? [] : [`sorted by ${found.sortingKey}, should be ${key}`]),
    ...ofColumns(table, found),
    ...(isOurs ? ofSettings(found) : []),
  ];
};
