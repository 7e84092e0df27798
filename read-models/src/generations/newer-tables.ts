import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { type GenerationRecord, recordMissingTables, planReplay, type Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { absentTables, isBegun } from './absent-tables.ts';
import type { Generation } from './live.ts';
import type { ProjectionDeclaration } from './projection-declaration.ts';

/**
 * Notes of a generation that was built by an older version which tables are newer than it. It goes on as it is, so that readers
 * keep what they have; of what it lacks it holds nothing from before. A table that the same version had is one that was lost.
 */
export const noteIncompleteTables = async <Declaration extends ProjectionDeclaration>(
  { writer, postgres }: { readonly writer: ClickHouseWriter; readonly postgres: Postgres },
  which: Generation<Declaration>,
  known: readonly GenerationRecord[],
): Promise<Generation<Declaration>> => {
  const absent = await absentTables(writer, which);
  if (absent.length === 0) return which;
  const { projection, generation } = which;
  const record = known.find((each) => each.projection === projection.name && each.generation === generation);
  const isOlder = record !== undefined && record.version < projection.version;
  const lacks =
    isOlder && (await isBegun(writer, which)) ? [...new Set([...(which.incompleteTables ?? []), ...absent])] : [];
  await recordMissingTables(postgres, { projection: projection.name, generation }, lacks);
  return { ...which, incompleteTables: lacks };
};

/** Has the next generation built of each that lacks something this build knows of, unless one is being built. */
export const planReplaysOfIncomplete = async (
  postgres: Postgres,
  live: readonly Generation[],
  log: Log,
  verify = false,
): Promise<void> => {
  for (const { projection, generation, incompleteTables: incompleteTables = [] } of live) {
    if (!projection.tables.some((table) => incompleteTables.includes(table.name))) continue;
    const { name, version } = projection;
    const planned = await planReplay(postgres, { projection: name, version, verify });
    log.warn(
      { projection: name, generation, tables: incompleteTables, replay: planned?.id },
      'tables are newer than the live generation; the next one is built beside it, and until then nobody reads them',
    );
  }
};
