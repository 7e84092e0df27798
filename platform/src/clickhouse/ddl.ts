import { type Field, generationTable, type TableDefinition } from './define-table.ts';
import { type ViewDefinition } from './define-view.ts';

export const quoteIdentifier = (identifier: string): string => `\`${identifier.replaceAll('`', '')}\``;
export const quoteString = (words: string): string => `'${words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Durability and deduplication are pinned on the table: their defaults moved between versions of the server. */
export const tableSettings = {
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
