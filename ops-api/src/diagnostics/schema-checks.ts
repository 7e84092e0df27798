import {
  generationTable,
  type TableDefinition,
  findTableDrift,
  type StoredTable,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import {
  type GenerationRecord,
  readGenerations,
  type ReplayRecord,
  unfinishedReplays,
} from '@popsvc/platform/postgres';
import {
  findGenerations,
  findGenerationsHiddenFromAnalysts,
  findMissingAnalystViews,
  type ProjectionDeclaration,
} from '@popsvc/read-models/generations';
import { dictionaries } from '@popsvc/read-models/schema';
import { progress } from '@popsvc/read-models/tables';
import type { DiagnosticsDependencies } from './dependencies.ts';
import { failed, type Finding, ok, warning } from './findings.ts';

const schemaCheck = 'schema of clickhouse';

interface ExpectedSchema {
  readonly tables: readonly (readonly [TableDefinition, number])[];
  readonly views: readonly string[];
}

/** Generations being built or dropped are incomplete, and those of a newer build have unknown tables. */
const isComplete = ({ state, version }: GenerationRecord, projection: ProjectionDeclaration): boolean =>
  (state === 'live' || state === 'kept') && version <= projection.version;

const readExpectedSchema = async ({
  postgres,
  declarations,
}: Pick<DiagnosticsDependencies, 'postgres' | 'declarations'>): Promise<ExpectedSchema> => {
  const generations = await readGenerations(postgres);
  const tables = declarations.flatMap((projection) =>
    generations
      .filter((each) => each.projection === projection.name && isComplete(each, projection))
      .flatMap(({ generation }) => projection.tables.map((table) => [table, generation] as const)),
  );
  return {
    tables: [[progress, 1], ...tables],
    views: [
      'progress_live',
      'incomplete_live',
      ...declarations.flatMap(({ tables, views = [] }) => [...tables, ...views].map((one) => `${one.name}_live`)),
    ],
  };
};

interface TableRow {
  readonly name: string;
  readonly engine: string;
  readonly engine_full: string;
  readonly sorting_key: string;
}

const tablesSql = 'SELECT name, engine, engine_full, sorting_key FROM system.tables WHERE database = currentDatabase()';
const columnsSql = 'SELECT table, name, type FROM system.columns WHERE database = currentDatabase()';
const dictionariesSql =
  'SELECT name, toString(status) AS status, last_exception FROM system.dictionaries WHERE database = currentDatabase()';

const readTableFacts = async (writer: ClickHouseWriter): Promise<ReadonlyMap<string, StoredTable>> => {
  const [tables, columns] = await Promise.all([
    writer.rows<TableRow>(tablesSql, { timeoutMs: 3_000 }),
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

const schemaAdvice =
  'Restart the projectors: they create what is missing. What differs was changed by hand: set it back, or rebuild with popsvc projections replay NAME.';

const findBrokenDictionaries = async (writer: ClickHouseWriter): Promise<readonly string[]> => {
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

/** Checks that tables, columns, views and dictionaries in ClickHouse match this build. */
export const checkSchema = async ({
  writer,
  postgres,
  declarations,
}: DiagnosticsDependencies): Promise<readonly Finding[]> => {
  const [{ tables, views }, facts, broken] = await Promise.all([
    readExpectedSchema({ postgres, declarations }),
    readTableFacts(writer),
    findBrokenDictionaries(writer),
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
    return [ok(schemaCheck, `${tables.length} tables and ${views.length} views are as this build makes them`)];
  const shown = drifts.slice(0, 10).join('; ');
  return [failed(schemaCheck, drifts.length > 10 ? `${shown}; and ${drifts.length - 10} more` : shown, schemaAdvice)];
};

const generationsCheck = 'generations';
const maxShownTables = 20;

/** Tables of generations, and their copies made for comparisons. */
const generationTablesSql = `SELECT name FROM system.tables
  WHERE database = currentDatabase() AND match(name, '_g[0-9]+(_at_[0-9_]+)?$') ORDER BY name`;

/** Names of the tables of the generations in PostgreSQL. */
const knownTableNames = ({ generations, declarations }: KnownGenerations): ReadonlySet<string> =>
  new Set(
    declarations.flatMap(({ name, tables }) =>
      generations
        .filter(({ projection }) => projection === name)
        .flatMap(({ generation }) => tables.map((table) => generationTable(table, generation))),
    ),
  );

type GenerationsDependencies = Pick<DiagnosticsDependencies, 'writer' | 'postgres' | 'declarations'>;

const readGenerationTables = async ({ writer }: GenerationsDependencies): Promise<readonly string[]> =>
  (await writer.rows<{ name: string }>(generationTablesSql, { timeoutMs: 1_500 })).map(({ name }) => name);

/** Generations and unfinished replays in PostgreSQL. */
interface KnownGenerations {
  readonly generations: readonly GenerationRecord[];
  readonly replays: readonly ReplayRecord[];
  readonly declarations: readonly ProjectionDeclaration[];
}

const isUnknown = (all: KnownGenerations) => {
  const { declarations, replays } = all;
  const known = knownTableNames(all);
  const ours = new Set<string>(declarations.flatMap(({ tables }) => tables.map((table) => table.name)));
  return (name: string): boolean => {
    const [table = '', copied] = name.split('_at_');
    if (!ours.has(table.replace(/_g\d+$/, ''))) return false;
    return !known.has(table) || (copied !== undefined && replays.length === 0);
  };
};

/**
 * Finds tables that PostgreSQL does not know, for example after it was restored to a time before a replay. They only take space, but
 * nothing else removes them. An operator drops the listed tables, so a table of a running replay must never be listed: tables are
 * created after their record in PostgreSQL and dropped before it is removed, hence ClickHouse is read before and after PostgreSQL.
 */
const findUnknownTables = async (
  parts: GenerationsDependencies,
  found: readonly string[],
  known: KnownGenerations,
): Promise<readonly string[]> => {
  const suspects = found.filter(isUnknown(known));
  if (suspects.length === 0) return [];
  const still = new Set(await readGenerationTables(parts));
  return suspects.filter((name) => still.has(name));
};

const dropStatements = (database: string, names: readonly string[]): string =>
  names
    .slice(0, maxShownTables)
    .map((name) => `DROP TABLE ${database}.${name};`)
    .join(' ');

/** Finds tables of unknown generations, and replays that keep failing. */
export const checkGenerations = async (parts: GenerationsDependencies): Promise<readonly Finding[]> => {
  const found = await readGenerationTables(parts);
  const [generations, replays] = await Promise.all([
    readGenerations(parts.postgres),
    unfinishedReplays(parts.postgres),
  ]);
  const unknown = await findUnknownTables(parts, found, { generations, replays, declarations: parts.declarations });
  const stuck = replays.filter(({ error }) => error !== null);
  const more = unknown.length > maxShownTables ? `, and ${unknown.length - maxShownTables} more` : '';
  const wrong = [
    ...(unknown.length > 0
      ? [
          warning(
            generationsCheck,
            `PostgreSQL does not know ${unknown.slice(0, maxShownTables).join(', ')}${more}`,
            `PostgreSQL was restored to a time before they were made, or a process was killed during a comparison. In ClickHouse: ${dropStatements(parts.writer.database, unknown)}`,
          ),
        ]
      : []),
    ...(stuck.length > 0
      ? [
          warning(
            generationsCheck,
            stuck
              .map(({ projection, error }) => `the replay of ${projection} tries again after: ${error ?? ''}`)
              .join('; '),
            'It continues automatically once the cause is fixed; popsvc projections watch NAME shows its progress, cancel NAME cancels it.',
          ),
        ]
      : []),
  ];
  if (wrong.length > 0) return wrong;
  return [
    ok(
      generationsCheck,
      replays.length === 0
        ? 'no replay runs'
        : `${replays.map(({ projection }) => projection).join(', ')} replayed just now`,
    ),
  ];
};

const analystViewsCheck = 'views of analysts';

/** Checks that the analysts' views read the live generations. */
export const checkAnalystViews = async ({
  writer,
  postgres,
  declarations,
}: Pick<DiagnosticsDependencies, 'writer' | 'postgres' | 'declarations'>) => {
  const live = await findGenerations(postgres, declarations, 'live', 'own');
  const [unseen, missing] = await Promise.all([
    findGenerationsHiddenFromAnalysts(writer, live),
    findMissingAnalystViews(writer),
  ]);
  const wrong = [
    ...unseen.map(
      ({ projection, generation }) => `generation ${generation} of ${projection.name} is not what they see`,
    ),
    ...(missing.length > 0 ? [`${missing.join(', ')} missing`] : []),
  ];
  const findings: readonly Finding[] =
    wrong.length === 0
      ? [ok(analystViewsCheck, 'they show what is live')]
      : [
          warning(
            analystViewsCheck,
            wrong.join('; '),
            'The projectors retry every 30 s and log what ClickHouse rejects: usually the right to create the database of analysts, or views with SQL SECURITY DEFINER. Reports are not affected.',
          ),
        ];
  return findings;
};
