import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import {
  type GenerationRecord,
  recordMissingTables,
  planReplay,
  readReplays,
  type Postgres,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { progress } from '../declarations/progress.table.ts';
import { dropGenerationProgress } from './progress.ts';
import { findGenerations, type Generation, type ProjectionDeclaration } from './generations.ts';

const absentSql = `SELECT arrayJoin({wanted:Array(String)}) AS name
  WHERE name NOT IN (SELECT name FROM system.tables WHERE database = currentDatabase())`;

/** Names, without the generation, of the tables that a generation has not. */
const findMissingTables = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<readonly string[]> => {
  const wanted = projection.tables.map((table) => generationTable(table, generation));
  const absent = await writer.rows<{ name: string }>(absentSql, { params: { wanted } });
  return projection.tables
    .filter((table) => absent.some(({ name }) => name === generationTable(table, generation)))
    .map(({ name }) => name);
};

/** Whether anything of a generation was ever told to be written. */
const hasProgress = async (writer: ClickHouseWriter, { projection, generation }: Generation): Promise<boolean> => {
  const [row] = await writer.rows<{ batches: string }>(
    `SELECT count() AS batches FROM ${generationTable(progress, 1)}
     WHERE projection = {projection:String} AND generation = {generation:UInt32}`,
    { params: { projection: projection.name, generation } },
  );
  return Number(row?.batches) > 0;
};

/**
 * A table that is made anew holds nothing, whatever was written under its name before: somebody dropped it, or PostgreSQL was
 * restored to a time when this generation was live. What is told of its progress goes, so that it is folded from the start.
 * What is newer than the generation is another matter: that it lacks.
 */
export const resetProgressOfLostTables = async (writer: ClickHouseWriter, which: Generation): Promise<void> => {
  const absent = await findMissingTables(writer, which);
  if (absent.every((name) => which.incompleteTables?.includes(name))) return;
  await dropGenerationProgress(writer, { projection: which.projection.name, generation: which.generation });
};

/**
 * Notes of a generation that was built by an older version which tables are newer than it. It goes on as it is, so that readers
 * keep what they have; of what it lacks it holds nothing from before. A table that the same version had is one that was lost.
 */
export const noteIncompleteTables = async <Declaration extends ProjectionDeclaration>(
  { writer, postgres }: { readonly writer: ClickHouseWriter; readonly postgres: Postgres },
  which: Generation<Declaration>,
  known: readonly GenerationRecord[],
): Promise<Generation<Declaration>> => {
  const absent = await findMissingTables(writer, which);
  if (absent.length === 0) return which;
  const { projection, generation } = which;
  const record = known.find((each) => each.projection === projection.name && each.generation === generation);
  const isOlder = record !== undefined && record.version < projection.version;
  const lacks =
    isOlder && (await hasProgress(writer, which)) ? [...new Set([...(which.incompleteTables ?? []), ...absent])] : [];
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

interface RetryReplaysDependencies {
  readonly postgres: Postgres;
  readonly projections: readonly ProjectionDeclaration[];
  readonly log: Log;
  readonly clock?: Clock;
}

const [firstPauseMs, longestPauseMs] = [5 * 60_000, 6 * 3_600_000];

/** More than there can be of one projection before its pauses are as long as they get. */
const maxReplaysRead = 1_000;

/** The newest replays of a projection, as far back as each failed to replace the same generation. */
const failedReplays = (replays: readonly ReplayRecord[], projection: string, live: number): readonly ReplayRecord[] => {
  const own = replays.filter((replay) => replay.projection === projection);
  const other = own.findIndex(({ kind, from, state }) => kind !== 'replay' || from !== live || state !== 'failed');
  return other < 0 ? own : own.slice(0, other);
};

/**
 * Has what a live generation lacks built again after that failed, with pauses that double: what kept it from its end may be over,
 * and until it is built readers of it are refused. What somebody cancelled or rolled back is left to people.
 */
export const retryFailedReplays = async ({
  postgres,
  projections,
  log,
  clock = systemClock,
}: RetryReplaysDependencies): Promise<void> => {
  const lacking = (await findGenerations(postgres, projections, 'live', 'own')).filter(
    ({ incompleteTables: incompleteTables = [] }) => incompleteTables.length > 0,
  );
  if (lacking.length === 0) return;
  const replays = await readReplays(postgres, maxReplaysRead);
  for (const which of lacking) {
    const failed = failedReplays(replays, which.projection.name, which.generation);
    const [last] = failed;
    if (!last?.endedAt) continue;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failed.length - 1));
    if (clock.now() < last.endedAt.getTime() + pauseMs) continue;
    await planReplaysOfIncomplete(postgres, [which], log, last.verify);
  }
};
