import {
  type ClickHouseWriter,
  findDefinitionDamage,
  generationTable,
  type StoredTable,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';
import type { FoundDamage } from './table-parts.ts';

interface TableRow {
  readonly name: string;
  readonly engine_full: string;
  readonly sorting_key: string;
}

const tablesSql = 'SELECT name, engine_full, sorting_key FROM system.tables WHERE database = currentDatabase()';
const columnsSql = `SELECT table, name, type, if(default_kind = 'MATERIALIZED', default_expression, NULL) AS expression
  FROM system.columns WHERE database = currentDatabase()`;

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  /** Null unless the column is materialized. */
  readonly expression: string | null;
}

const timeoutMs = 5_000;

/** `names`: tables and views to read; default all, which takes several times as long. */
export const readDefinitions = async (
  writer: ClickHouseWriter,
  names?: readonly string[],
): Promise<ReadonlyMap<string, StoredTable>> => {
  const options = { timeoutMs, ...(names && { params: { names } }) };
  const among = (column: string) => (names ? ` AND ${column} IN {names:Array(String)}` : '');
  const [tables, columns] = await Promise.all([
    writer.rows<TableRow>(tablesSql + among('name'), options),
    writer.rows<ColumnRow>(columnsSql + among('table'), options),
  ]);
  const stored = new Map(
    tables.map(({ name, engine_full: engine, sorting_key: sortingKey }) => [
      name,
      { engine, sortingKey, columns: new Map<string, string>(), materialized: new Map<string, string>() },
    ]),
  );
  for (const { table, name, type, expression } of columns)
    if (expression === null) stored.get(table)?.columns.set(name, type);
    else stored.get(table)?.materialized.set(name, expression);
  return stored;
};

/**
 * ClickHouse stores definitions without a checksum. If a damaged file renames a column, queries return its default value instead of the
 * stored values.
 */
export const findChangedDefinitions = async (
  writer: ClickHouseWriter,
  tables: readonly TableDefinition[],
  generation: number,
): Promise<readonly FoundDamage[]> => {
  const names = tables.map((table) => generationTable(table, generation));
  const stored = await readDefinitions(writer, names);
  return tables.flatMap((table, index) => {
    const physical = names[index]!;
    const found = stored.get(physical);
    const problems = found ? findDefinitionDamage(table, found) : [];
    return problems.length === 0
      ? []
      : [
          {
            table: physical,
            part: null,
            isDroppable: false,
            problem: `its definition is not the one that was written: ${problems.join('; ')}`,
          },
        ];
  });
};

/** By kind to create: which existing relations need not be dropped first. `CREATE OR REPLACE VIEW` also replaces a table. */
const accepted = {
  table: "engine LIKE '%MergeTree'",
  view: "engine != 'Dictionary'",
  dictionary: "engine = 'Dictionary'",
  memory: "engine = 'Memory'",
} as const;

/** Drops relations of another kind: a damaged definition can give a relation the name of another. */
export const dropOtherRelations = async (
  writer: ClickHouseWriter,
  kind: keyof typeof accepted,
  names: readonly string[],
): Promise<void> => {
  const found = await writer.rows<{ name: string; engine: string }>(
    `SELECT name, engine FROM system.tables
     WHERE database = currentDatabase() AND name IN {names:Array(String)} AND NOT (${accepted[kind]})`,
    { params: { names } },
  );
  for (const { name, engine } of found)
    await writer.run(`DROP ${engine === 'Dictionary' ? 'DICTIONARY' : 'TABLE'} ${name} SYNC`);
};
