import { progress } from '@popsvc/read-models/tables';
import {
  generationTable,
  type TableDefinition,
  findTableDrift,
  type StoredTable,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import { dictionaries } from '@popsvc/read-models/schema';
import { type GenerationRecord, readGenerations } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { failed, type Finding, ok } from './finding.ts';

const name = 'schema of clickhouse';

interface Expected {
  readonly tables: readonly (readonly [TableDefinition, number])[];
  readonly views: readonly string[];
}

/** What is being built or dropped is not whole, and what a newer build made has tables that this one does not know. */
const isWhole = ({ state, version }: GenerationRecord, projection: ProjectionDeclaration): boolean =>
  (state === 'live' || state === 'kept') && version <= projection.version;

const expected = async ({
  postgres,
  declarations,
}: Pick<DiagnosticsDependencies, 'postgres' | 'declarations'>): Promise<Expected> => {
  const generations = await readGenerations(postgres);
  const tables = declarations.flatMap((projection) =>
    generations
      .filter((each) => each.projection === projection.name && isWhole(each, projection))
      .flatMap(({ generation }) => projection.tables.map((table) => [table, generation] as const)),
  );
  return {
    tables: [[progress, 1], ...tables],
    views: [
      'progress_live',
      'lacking_live',
      ...declarations.flatMap(({ tables, views = [] }) => [...tables, ...views].map((one) => `${one.name}_live`)),
    ],
  };
};

interface Found {
  readonly name: string;
  readonly engine: string;
  readonly engine_full: string;
  readonly sorting_key: string;
}

const tablesSql = 'SELECT name, engine, engine_full, sorting_key FROM system.tables WHERE database = currentDatabase()';
const columnsSql = 'SELECT table, name, type FROM system.columns WHERE database = currentDatabase()';
const dictionariesSql =
  'SELECT name, toString(status) AS status, last_exception FROM system.dictionaries WHERE database = currentDatabase()';

const factsOf = async (writer: ClickHouseWriter): Promise<ReadonlyMap<string, StoredTable>> => {
  const [tables, columns] = await Promise.all([
    writer.rows<Found>(tablesSql, { timeoutMs: 3_000 }),
    writer.rows<{ table: string; name: string; type: string }>(columnsSql, { timeoutMs: 3_000 }),
  ]);
  return new Map(
    tables.map((table) => [
      table.name,
      {
        engine: table.engine_full,
        sortingKey: table.sorting_key,
        columns: new Map(
          columns.filter((column) => column.table === table.name).map(({ name: column, type }) => [column, type]),
        ),
      },
    ]),
  );
};

const advice =
  'Restart the projectors: they create what is missing. What differs was changed by hand: set it back, or rebuild with popsvc projections replay NAME.';

const ofDictionaries = async (writer: ClickHouseWriter): Promise<readonly string[]> => {
  const there = await writer.rows<{ name: string; status: string; last_exception: string }>(dictionariesSql, {
    timeoutMs: 3_000,
  });
  return dictionaries.flatMap((wanted) => {
    const found = there.find((one) => one.name === wanted.name);
    if (!found) return [`dictionary ${wanted.name} is missing`];
    return found.last_exception === ''
      ? []
      : [`dictionary ${wanted.name} cannot be loaded: ${found.last_exception.slice(0, 200)}`];
  });
};

/** Whether ClickHouse has the tables, columns, views and dictionaries that this build would make, and no others under their names. */
export const lookAtSchema = async ({
  writer,
  postgres,
  declarations,
}: DiagnosticsDependencies): Promise<readonly Finding[]> => {
  const [{ tables, views }, facts, broken] = await Promise.all([
    expected({ postgres, declarations }),
    factsOf(writer),
    ofDictionaries(writer),
  ]);
  const drifts = [
    ...tables.flatMap(([table, generation]) => {
      const physical = generationTable(table, generation);
      const found = facts.get(physical);
      return found
        ? findTableDrift(table, found).map((drift) => `${physical}: ${drift}`)
        : [`table ${physical} is missing`];
    }),
    ...views.filter((view) => !facts.has(view)).map((view) => `view ${view} is missing`),
    ...broken,
  ];
  if (drifts.length === 0)
    return [ok(name, `${tables.length} tables and ${views.length} views are as this build makes them`)];
  const shown = drifts.slice(0, 10).join('; ');
  return [failed(name, drifts.length > 10 ? `${shown}; and ${drifts.length - 10} more` : shown, advice)];
};
