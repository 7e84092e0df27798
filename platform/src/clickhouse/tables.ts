import type { Shard } from '@popsvc/domain/partitioning';

/** `about`: a description, which ClickHouse stores as the comment of the column. */
export interface Field {
  readonly type: string;
  readonly about: string;
  /** The values, such as the time of a write, may differ between two generations that were built from the same events. */
  readonly isIncidental?: true;
  /** Compression, such as `ZSTD(1)`; default LZ4. Existing columns keep their compression. */
  readonly codec?: string;
}

/** A column that ClickHouse computes from the others at an insert. `SELECT *` leaves it out. */
export interface MaterializedField extends Field {
  readonly expression: string;
}

export interface TableDefinition {
  /** Table name without the generation number. The physical table is `{name}_g{generation}`. */
  readonly name: string;
  readonly about: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly materialized?: Readonly<Record<string, MaterializedField>>;
  readonly orderBy: readonly string[];
  /** An expression that uses only sort key columns, so that all versions of a row are in one partition. */
  readonly partitionBy?: string;
  /**
   * Names of columns. ClickHouse keeps the row with the highest `version` for each sort key. The value 1 in `deleted` marks a removed row.
   */
  readonly replacing: { readonly version?: string; readonly deleted?: string };
  /** A time column. A comparison of two generations groups the rows by the UTC day of this column. */
  readonly day?: string;
  readonly indexes?: Readonly<Record<string, string>>;
  readonly granularity?: number;
}

export const field = (type: string, about: string): Field => ({ type, about });

export const incidental = (of: Field): Field => ({ ...of, isIncidental: true });

export const compressed = (codec: string, of: Field): Field => ({ ...of, codec });

export const defineTable = <const Definition extends TableDefinition>(definition: Definition): Definition => definition;

export const generationTable = ({ name }: Pick<TableDefinition, 'name'>, generation: number): string =>
  `${name}_g${generation}`;

export const withoutGeneration = (name: string): string => name.replace(/_g\d+$/, '');

export interface ViewField {
  readonly type: string;
  readonly about: string;
  /** An SQL expression of columns `r.{name}`: a bare name may mean a column of the view. */
  readonly sql: string;
}

export interface ViewDefinition {
  /** View name without its suffix, such as `_live`. */
  readonly name: string;
  readonly about: string;
  readonly over: TableDefinition;
  /** Builds the query that the view reads as `r`. `rowsOf` returns a query for the current rows of a table. */
  readonly from?: (rowsOf: (table: TableDefinition) => string) => string;
  readonly fields: Readonly<Record<string, ViewField>>;
  /** Columns of `r` to group by. If empty, each row of `r` is a row of the view. */
  readonly groupBy: readonly string[];
}

export const defineView = <const Definition extends ViewDefinition>(definition: Definition): Definition => definition;

export const quoteIdentifier = (identifier: string): string => `\`${identifier.replaceAll('`', '')}\``;
export const quoteString = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Undefined `cluster`: a single server. With a cluster, tables are replicated. */
export interface TableLayout {
  readonly cluster?: string | undefined;
  readonly shard?: Shard | undefined;
}

/** Acknowledged inserts survive a power failure. ClickHouse discards repetitions of the last 1,000 inserted blocks of a table. */
const tableSettings = ({ cluster }: TableLayout): Readonly<Record<string, number>> => ({
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  ...(cluster === undefined
    ? { non_replicated_deduplication_window: 1000 }
    : {
        replicated_deduplication_window: 1000,
        // The quorum of an insert also counts replicas that have fetched the part, so they must write the part to disk.
        min_compressed_bytes_to_fsync_after_fetch: 1,
        // By default, a table with more than half of its rows, or 1 GiB, in damaged parts stays read-only. A replica can fetch them again.
        replicated_max_ratio_of_wrong_parts: 1,
        max_suspicious_broken_parts_bytes: 1_000_000_000_000_000,
      }),
});

export const columnDefinition = ([name, column]: readonly [string, Field | MaterializedField]): string => {
  const { type, about, codec } = column;
  const value = 'expression' in column ? ` MATERIALIZED ${column.expression}` : '';
  const compression = codec === undefined ? '' : ` CODEC(${codec})`;
  return `  ${quoteIdentifier(name)} ${type}${value} COMMENT ${quoteString(about)}${compression}`;
};

export const columnsOf = ({
  fields,
  materialized,
}: TableDefinition): Readonly<Record<string, Field | MaterializedField>> => ({ ...fields, ...materialized });

/** A `Replicated` database adds the path in Keeper to the engine of a replicated table. */
export const createTable = (table: TableDefinition, generation: number, layout: TableLayout): string => {
  const { version, deleted } = table.replacing;
  const engine = layout.cluster === undefined ? 'ReplacingMergeTree' : 'ReplicatedReplacingMergeTree';
  const settings = { ...tableSettings(layout), index_granularity: table.granularity ?? 8192 };
  return [
    `CREATE TABLE IF NOT EXISTS ${quoteIdentifier(generationTable(table, generation))} (`,
    [
      ...Object.entries(columnsOf(table)).map(columnDefinition),
      ...Object.entries(table.indexes ?? {}).map(
        ([index, definition]) => `  INDEX ${quoteIdentifier(index)} ${definition}`,
      ),
    ].join(',\n'),
    `) ENGINE = ${engine}(${[version, deleted].filter((argument) => argument !== undefined).join(', ')})`,
    ...(table.partitionBy === undefined ? [] : [`PARTITION BY ${table.partitionBy}`]),
    `ORDER BY (${table.orderBy.map(quoteIdentifier).join(', ')})`,
    `SETTINGS ${Object.entries(settings)
      .map(([setting, value]) => `${setting} = ${value}`)
      .join(', ')}`,
    `COMMENT ${quoteString(table.about)}`,
  ].join('\n');
};

/** Existing rows get default values. ClickHouse computes a materialized column of an existing row when the row is read. */
export const addColumns = (table: TableDefinition, generation: number, missing: readonly string[]): string => {
  const added = Object.entries(columnsOf(table)).filter(([name]) => missing.includes(name));
  const clauses = added.map((field) => `ADD COLUMN IF NOT EXISTS ${columnDefinition(field).trim()}`);
  return `ALTER TABLE ${quoteIdentifier(generationTable(table, generation))} ${clauses.join(', ')}`;
};

export const createLiveView = (table: TableDefinition, generation: number): string => {
  const columns = ['*', ...Object.keys(table.materialized ?? {}).map(quoteIdentifier)].join(', ');
  return `CREATE OR REPLACE VIEW ${quoteIdentifier(`${table.name}_live`)} AS SELECT ${columns} FROM ${quoteIdentifier(generationTable(table, generation))} FINAL`;
};

export interface ViewScope {
  readonly suffix: string;
  /** WHERE clause with a leading space, added to each table that the view reads. May be empty. */
  readonly where: string;
  readonly comment?: string;
}

const allRows: ViewScope = { suffix: 'live', where: '' };

export const selectRows =
  (generation: number, { where }: ViewScope) =>
  (table: TableDefinition): string =>
    `SELECT * FROM ${quoteIdentifier(generationTable(table, generation))} FINAL${where}`;

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

export const tablesReadBy = ({ over, from }: ViewDefinition): readonly TableDefinition[] => {
  if (!from) return [over];
  const tables = new Set<TableDefinition>();
  from((table) => {
    tables.add(table);
    return table.name;
  });
  return [...tables];
};

export interface StoredTable {
  /** `engine_full` of system.tables: engine with arguments, keys and settings. */
  readonly engine: string;
  readonly sortingKey: string;
  readonly columns: ReadonlyMap<string, string>;
  readonly materialized: ReadonlyMap<string, string>;
}

const withoutSpacesAndQuotes = (text: string) => text.replaceAll(/[\s`]/g, '');

/** ClickHouse reports a single-column sort key as it was written, with or without parentheses. */
const withoutParentheses = (key: string) => key.replace(/^\((.*)\)$/, '$1');

/** On a cluster, the argument list begins with quoted paths, which this function leaves out. */
const replacingArguments = (engine: string): string | undefined => {
  const [found, list = ''] = /^(?:Replicated|Shared)?ReplacingMergeTree\b(?:\(([^)]*)\))?/.exec(engine) ?? [];
  if (found === undefined) return undefined;
  const all = list.split(',').map((argument) => argument.trim());
  return all.filter((argument) => !argument.startsWith("'")).join(', ');
};

const findMissingColumns = ({ fields }: TableDefinition, { columns }: StoredTable): string[] =>
  Object.keys(fields).flatMap((name) => (columns.has(name) ? [] : [`column ${name} is missing`]));

const findTypeDrift = ({ fields }: TableDefinition, { columns }: StoredTable): string[] =>
  Object.entries(fields).flatMap(([name, { type }]) => {
    const found = columns.get(name);
    return found === undefined || withoutSpacesAndQuotes(found) === withoutSpacesAndQuotes(type)
      ? []
      : [`column ${name} is ${found}, should be ${type}`];
  });

/** ClickHouse returns an expression with other spaces, quotes and parentheses than the declaration has. */
const withoutPunctuation = (expression: string) => expression.replaceAll(/[\s`()]/g, '');

/** Ignores missing materialized columns: an earlier release may have created the table without them. */
const findExpressionDrift = ({ materialized = {} }: TableDefinition, found: StoredTable): string[] =>
  Object.entries(materialized).flatMap(([name, { expression }]) => {
    const stored = found.materialized.get(name);
    return stored === undefined || withoutPunctuation(stored) === withoutPunctuation(expression)
      ? []
      : [`column ${name} is ${stored}, should be ${expression}`];
  });

const findSettingDrift = ({ engine }: StoredTable, layout: TableLayout): string[] =>
  Object.entries(tableSettings(layout)).flatMap(([name, value]) => {
    const found = new RegExp(`\\b${name} = (\\w+)`).exec(engine)?.[1];
    return found === String(value) ? [] : [`setting ${name} is ${found ?? 'not set'}, should be ${value}`];
  });

const findEngineDrift = ({ replacing: { version, deleted } }: TableDefinition, { engine }: StoredTable): string[] => {
  const expected = [version, deleted].filter((argument) => argument !== undefined).join(', ');
  if (replacingArguments(engine) === expected) return [];
  const found = /^\w+(?:\([^)]*\))?/.exec(engine)?.[0] ?? engine;
  return [`engine is ${found}, should be ReplacingMergeTree(${expected})`];
};

const findSortKeyDrift = ({ orderBy }: TableDefinition, { sortingKey }: StoredTable): string[] => {
  const key = orderBy.join(', ');
  return withoutParentheses(withoutSpacesAndQuotes(sortingKey)) === withoutSpacesAndQuotes(key)
    ? []
    : [`sorted by ${sortingKey}, should be ${key}`];
};

const findLayoutDrift = ({ engine }: StoredTable, { cluster }: TableLayout): string[] =>
  cluster === undefined || /^(?:Replicated|Shared)/.test(engine)
    ? []
    : [`engine is ${/^\w+/.exec(engine)?.[0] ?? engine}, which is not replicated`];

export const findTableDrift = (table: TableDefinition, found: StoredTable, layout: TableLayout): readonly string[] => {
  const engineDrift = [...findEngineDrift(table, found), ...findLayoutDrift(found, layout)];
  return [
    ...engineDrift,
    ...findSortKeyDrift(table, found),
    ...findMissingColumns(table, found),
    ...findTypeDrift(table, found),
    ...findExpressionDrift(table, found),
    ...(engineDrift.length === 0 ? findSettingDrift(found, layout) : []),
  ];
};

/**
 * A missing column is damage only if the table has an additional column, because it was then probably renamed. Without one, it may be new
 * in this release.
 */
export const findDefinitionDamage = (table: TableDefinition, found: StoredTable): readonly string[] => {
  const hasAdditional = [...found.columns.keys()].some((name) => !(name in table.fields));
  return [
    ...findEngineDrift(table, found),
    ...findSortKeyDrift(table, found),
    ...(hasAdditional ? findMissingColumns(table, found) : []),
    ...findTypeDrift(table, found),
    ...findExpressionDrift(table, found),
  ];
};
