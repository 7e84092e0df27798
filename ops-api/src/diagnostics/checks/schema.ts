import { createCheck, failed } from '@popsvc/contracts/diagnostics';
import {
  type ClickHouseWriter,
  findTableDrift,
  generationTable,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';
import { type GenerationRecord, readGenerations } from '@popsvc/platform/postgres';
import { isServerReady, type ProjectionDeclaration, readDefinitions } from '@popsvc/read-models/generations';
import { dictionaries, timeZoneDictionary } from '@popsvc/read-models/schema';
import { liveGenerationsView, progressOf } from '@popsvc/read-models/tables';
import type { ShardDependencies, ShardEvaluation } from '../dependencies.ts';
import { readServers } from '../shards.ts';

const check = createCheck('schema', 'Tables, views and dictionaries in ClickHouse are those of this release.', {
  drift: failed(
    'Restart the projectors: they create missing tables, views and dictionaries. Differences were made by hand: revert them, or rebuild with `popsvc projections replay NAME`.',
  ),
});

interface ExpectedSchema {
  readonly tables: readonly (readonly [TableDefinition, number])[];
  readonly views: readonly string[];
}

/** A generation that is being built or dropped may lack tables. A generation of a newer version may have other tables. */
const hasAllTables = ({ state, version }: GenerationRecord, projection: ProjectionDeclaration): boolean =>
  (state === 'live' || state === 'kept') && version <= projection.version;

const sharedGeneration = 1;

const readExpectedSchema = async ({
  postgres,
  declarations,
}: Pick<ShardDependencies, 'postgres' | 'declarations'>): Promise<ExpectedSchema> => {
  const generations = await readGenerations(postgres);
  const tables = declarations.flatMap((projection) =>
    generations
      .filter((each) => each.projection === projection.name && hasAllTables(each, projection))
      .flatMap(({ generation }) => projection.tables.map((table) => [table, generation] as const)),
  );
  return {
    tables: [...declarations.map(({ name }) => [progressOf(name), sharedGeneration] as const), ...tables],
    views: [
      'progress_live',
      `${liveGenerationsView.name}_live`,
      'pending_live',
      'incomplete_live',
      'damaged_ranges_live',
      ...declarations.flatMap(({ tables, views = [] }) => [...tables, ...views].map(({ name }) => `${name}_live`)),
    ],
  };
};

const dictionariesSql =
  'SELECT name, toString(status) AS status, last_exception FROM system.dictionaries WHERE database = currentDatabase()';

/** A replica that is not ready may lack dictionaries for a while. The check `clickhouse-replica` reports it. */
const findBrokenDictionaries = async (writer: ClickHouseWriter): Promise<readonly string[]> => {
  if (writer.cluster !== undefined && !(await isServerReady(writer))) return [];
  const stored = await writer.rows<{ name: string; status: string; last_exception: string }>(dictionariesSql, {
    timeoutMs: 3_000,
  });
  return [timeZoneDictionary, ...dictionaries.map(({ name }) => name)].flatMap((wanted) => {
    const found = stored.find(({ name }) => name === wanted);
    if (!found) return [`dictionary ${wanted} is missing`];
    return found.last_exception === ''
      ? []
      : [`dictionary ${wanted} cannot be loaded (${found.last_exception.slice(0, 200)})`];
  });
};

const maxShownDrifts = 10;

export const schema: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse', 'postgresql'],
  async evaluate({ writer, postgres, declarations }) {
    const [{ tables, views }, facts, broken] = await Promise.all([
      readExpectedSchema({ postgres, declarations }),
      readDefinitions(writer),
      readServers(writer, findBrokenDictionaries),
    ]);
    const drifts = [
      ...tables.flatMap(([table, generation]) => {
        const physical = generationTable(table, generation);
        const found = facts.get(physical);
        return found
          ? findTableDrift(table, found, writer).map((drift) => `${physical}: ${drift}`)
          : [`table ${physical} is missing`];
      }),
      ...views.filter((view) => !facts.has(view)).map((view) => `view ${view} is missing`),
    ];
    const faults = broken.flatMap(({ place, value: found }) => found.map((fault) => `${fault}${place}`));
    if (drifts.length + faults.length === 0)
      return [check.ok({ found: `${tables.length} tables and ${views.length} views are those of this release` })];
    const shown = [...drifts.slice(0, maxShownDrifts), ...faults.slice(0, maxShownDrifts)];
    const left = drifts.length + faults.length - shown.length;
    const found = [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
    return [check.problem('drift', { found })];
  },
};
