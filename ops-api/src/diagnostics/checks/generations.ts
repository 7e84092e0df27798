import { createCheck, warning } from '@popsvc/contracts/diagnostics';
import { generationTable, withoutGeneration } from '@popsvc/platform/clickhouse';
import {
  type GenerationRecord,
  readGenerations,
  type ReplayRecord,
  readUnfinishedReplays,
} from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { ShardDependencies, ShardEvaluation } from '../dependencies.ts';

const check = createCheck(
  'generations',
  'ClickHouse has no tables of unknown generations, and replays make progress.',
  {
    'unknown-tables': warning(
      (statements) =>
        `PostgreSQL was restored to a time before they were created, or a process was killed during a comparison. In ClickHouse: ${statements}`,
    ),
    'replay-retrying': warning(
      'It continues automatically once the cause is fixed; `popsvc projections watch NAME` shows its progress, `popsvc projections cancel NAME` cancels it.',
    ),
  },
);

const maxShownTables = 20;

/** Includes the snapshots that replays take for comparison, such as `coffee_g7_at_12_3`. */
const generationTablesSql = `SELECT name FROM system.tables
  WHERE database = currentDatabase() AND match(name, '_g[0-9]+(_at_[0-9_]+)?$') ORDER BY name`;

const knownTableNames = ({ generations, declarations }: KnownGenerations): ReadonlySet<string> =>
  new Set(
    declarations.flatMap(({ name, tables }) =>
      generations
        .filter(({ projection }) => projection === name)
        .flatMap(({ generation }) => tables.map((table) => generationTable(table, generation))),
    ),
  );

const readGenerationTables = async ({ writer }: ShardDependencies): Promise<readonly string[]> =>
  (await writer.rows<{ name: string }>(generationTablesSql, { timeoutMs: 1_500 })).map(({ name }) => name);

interface KnownGenerations {
  readonly generations: readonly GenerationRecord[];
  readonly replays: readonly ReplayRecord[];
  readonly declarations: readonly ProjectionDeclaration[];
}

const createUnknownTableTest = (all: KnownGenerations) => {
  const { declarations, replays } = all;
  const known = knownTableNames(all);
  const ownTables = new Set<string>(declarations.flatMap(({ tables }) => tables.map((table) => table.name)));
  return (name: string): boolean => {
    const [table = '', replayOfCopy] = name.split('_at_');
    if (!ownTables.has(withoutGeneration(table))) return false;
    return !known.has(table) || (replayOfCopy !== undefined && replays.length === 0);
  };
};

/** `found` must have been read before `known`. Suspects are read again, because a replay may create or drop tables in the meantime. */
const findUnknownTables = async (
  dependencies: ShardDependencies,
  found: readonly string[],
  known: KnownGenerations,
): Promise<readonly string[]> => {
  const suspects = found.filter(createUnknownTableTest(known));
  if (suspects.length === 0) return [];
  const current = new Set(await readGenerationTables(dependencies));
  return suspects.filter((name) => current.has(name));
};

const dropStatements = (database: string, names: readonly string[]): string =>
  names
    .slice(0, maxShownTables)
    .map((name) => `DROP TABLE ${database}.${name};`)
    .join(' ');

export const generationsCheck: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse', 'postgresql'],
  async evaluate(dependencies) {
    const tables = await readGenerationTables(dependencies);
    const { declarations } = dependencies;
    const [generations, unfinished] = await Promise.all([
      readGenerations(dependencies.postgres),
      readUnfinishedReplays(dependencies.postgres),
    ]);
    const replays = unfinished.filter(({ projection }) => declarations.some(({ name }) => name === projection));
    const unknown = await findUnknownTables(dependencies, tables, { generations, replays, declarations });
    const failing = replays.filter(({ error }) => error !== null);
    const more = unknown.length > maxShownTables ? `, and ${unknown.length - maxShownTables} more` : '';
    const problems = [
      ...(unknown.length > 0
        ? [
            check.problem('unknown-tables', {
              found: `PostgreSQL does not know ${unknown.slice(0, maxShownTables).join(', ')}${more}`,
              detail: dropStatements(dependencies.writer.database, unknown),
            }),
          ]
        : []),
      ...(failing.length > 0
        ? [
            check.problem('replay-retrying', {
              found: failing
                .map(({ projection, error }) => `the replay of ${projection} retries after: ${error ?? ''}`)
                .join('; '),
            }),
          ]
        : []),
    ];
    if (problems.length > 0) return problems;
    const found =
      replays.length === 0
        ? 'no replay runs'
        : `replays run: ${replays.map(({ projection }) => projection).join(', ')}`;
    return [check.ok({ found })];
  },
};
