import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import {
  type GenerationRecord,
  recordIncompleteTables,
  planReplay,
  readReplays,
  type Postgres,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { progressTable } from '../declarations/progress.table.ts';
import { damagedTables } from './damage.ts';
import { dropGenerationProgress } from './progress.ts';
import { findGenerations, type Generation, type ProjectionDeclaration } from './generations.ts';

const absentSql = `SELECT arrayJoin({wanted:Array(String)}) AS name
  WHERE name NOT IN (SELECT name FROM system.tables WHERE database = currentDatabase())`;

/** Omits the table of pending ranges, which a generation may lack, and the table of former rows, which no replay fills. */
const findMissingTables = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<readonly string[]> => {
  const wanted = projection.tables.map((table) => generationTable(table, generation));
  const absent = await writer.rows<{ name: string }>(absentSql, { params: { wanted } });
  return projection.tables
    .filter(
      (table) =>
        table !== projection.derived?.pending &&
        table !== projection.derived?.history &&
        absent.some(({ name }) => name === generationTable(table, generation)),
    )
    .map(({ name }) => name);
};

const hasProgress = async (writer: ClickHouseWriter, { projection, generation }: Generation): Promise<boolean> => {
  const [row] = await writer.rows<{ partitions: string }>(
    `SELECT count() AS partitions FROM ${progressTable(projection.name)} WHERE generation = {generation:UInt32}`,
    { params: { generation } },
  );
  return Number(row?.partitions) > 0;
};

/**
 * A table can be lost if it was dropped and PostgreSQL was then restored from an older backup. A table that was added to the schema later
 * is not lost.
 */
export const resetProgressOfLostTables = async (writer: ClickHouseWriter, which: Generation): Promise<void> => {
  const absent = await findMissingTables(writer, which);
  if (absent.every((name) => which.incompleteTables?.includes(name))) return;
  const { projection, generation } = which;
  await dropGenerationProgress(writer, { projection: projection.name, generation });
  if (projection.derived)
    await writer.run(`TRUNCATE TABLE IF EXISTS ${generationTable(projection.derived.pending, generation)}`);
};

/**
 * Only a generation that an older version built, and that has progress, lacks tables because of an upgrade; readers can use its other
 * tables. In any other generation, a missing table was lost or is still to be created.
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
  const incompleteTables =
    isOlder && (await hasProgress(writer, which)) ? [...new Set([...(which.incompleteTables ?? []), ...absent])] : [];
  await recordIncompleteTables(postgres, { projection: projection.name, generation }, incompleteTables);
  return { ...which, incompleteTables };
};

const unreadableTables = ({ projection, incompleteTables = [], damage = [] }: Generation): readonly string[] => [
  ...projection.tables.map(({ name }) => name).filter((name) => incompleteTables.includes(name)),
  ...damagedTables(damage),
];

interface ReplayPlanning {
  /** Whether each replay compares the new generation with the live one before readers switch. A damaged generation is never compared. */
  readonly verify?: boolean;
  /** Returns false if a generation must not be replayed automatically. Default: always true. */
  readonly mayReplay?: (which: Generation) => Promise<boolean>;
}

/** Skips generations with events that a repair removed from the log, and projections with an unfinished replay or rollback. */
export const planReplaysOfUnreadable = async (
  postgres: Postgres,
  live: readonly Generation[],
  log: Log,
  { verify = false, mayReplay = () => Promise.resolve(true) }: ReplayPlanning = {},
): Promise<void> => {
  for (const which of live) {
    const { projection, generation, damage = [], lostEvents = [] } = which;
    const tables = unreadableTables(which);
    if (tables.length === 0) continue;
    // A replay would delete the only copy of the rows of the removed events.
    if (lostEvents.length > 0 || !(await mayReplay(which))) continue;
    const { name, version } = projection;
    const reason = damage.length > 0 ? 'live tables are damaged' : 'an upgrade added tables';
    const planned = await planReplay(postgres, {
      projection: name,
      version,
      verify: verify && damage.length === 0,
      from: { source: 'log', reason },
    });
    if (planned)
      log.warn({ projection: name, generation, tables, replay: planned.id }, 'replay of unreadable tables planned');
  }
};

interface RetryReplaysDependencies extends Pick<ReplayPlanning, 'mayReplay'> {
  readonly postgres: Postgres;
  readonly projections: readonly ProjectionDeclaration[];
  readonly log: Log;
  readonly clock?: Clock;
}

const [firstPauseMs, longestPauseMs] = [5 * 60_000, 6 * 3_600_000];

/**
 * For all projections together. The pause before a retry stops growing after eight failures, so each projection needs only its latest eight
 * records.
 */
const maxReplaysRead = 1_000;

/** Returns the failed replays of the live generation since its last other replay or rollback, newest first. */
const failedReplays = (replays: readonly ReplayRecord[], projection: string, live: number): readonly ReplayRecord[] => {
  const own = replays.filter((replay) => replay.projection === projection);
  const other = own.findIndex(({ kind, from, state }) => kind !== 'replay' || from !== live || state !== 'failed');
  return other < 0 ? own : own.slice(0, other);
};

/**
 * The pause before a retry doubles after each failure, up to six hours. If an operator cancels a replay or rolls it back, nothing is
 * retried.
 */
export const retryFailedReplays = async ({
  postgres,
  projections,
  log,
  clock = systemClock,
  mayReplay,
}: RetryReplaysDependencies): Promise<void> => {
  const unreadable = (await findGenerations(postgres, projections, 'live', 'own')).filter(
    (which) => unreadableTables(which).length > 0,
  );
  if (unreadable.length === 0) return;
  const replays = await readReplays(postgres, maxReplaysRead);
  for (const which of unreadable) {
    const { projection, generation, damage = [] } = which;
    const failed = failedReplays(replays, projection.name, generation);
    const [last] = failed;
    // If another replay or a rollback was running when the damage was found, no replay was planned for the damage.
    const isUnplanned =
      damage.length > 0 &&
      !replays.some(({ from, projection: name }) => name === projection.name && from === generation);
    const planning = mayReplay ? { mayReplay } : {};
    if (isUnplanned) await planReplaysOfUnreadable(postgres, [which], log, planning);
    if (!last?.endedAt) continue;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failed.length - 1));
    if (clock.now() < last.endedAt.getTime() + pauseMs) continue;
    await planReplaysOfUnreadable(postgres, [which], log, { ...planning, verify: last.verify });
  }
};
