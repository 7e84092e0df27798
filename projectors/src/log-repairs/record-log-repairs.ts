import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ClickHouseWriter,
  generationTable,
  isServerError,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';
import {
  findGenerationsBeyond,
  isRepairRecorded,
  type LeaseKey,
  type LostEvents,
  type Postgres,
  recordLogRepair,
} from '@popsvc/platform/postgres';
import { replaceFile } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { findGenerations, type ProjectionDeclaration } from '@popsvc/read-models/generations';
import { isRemovedSql, type LostFact, lowestPosition, rangeParams, readLostFacts } from './lost-facts.ts';
import { type LogRepair, readLogRepairs } from './read-log-repairs.ts';

interface Dependencies {
  readonly postgres: Postgres;
  readonly writer: ClickHouseWriter;
  readonly log: Log;
}

/** Returns the columns with the sequence of a row's source item. */
const sequenceColumns = ({ fields }: TableDefinition): readonly string[] =>
  ['pos', 'play_pos', 'detection_pos'].filter((column) => column in fields);
const timeoutMs = 600_000;

/** Counts the rows of removed events in each table of a generation that has their sequences. Leaves out tables without such rows. */
const countLostRows = async (
  { writer, log }: Dependencies,
  repair: LogRepair,
  { tables }: ProjectionDeclaration,
  generation: number,
): Promise<LostEvents['rows']> => {
  const counts: Record<string, number | null> = {};
  for (const table of tables) {
    const columns = sequenceColumns(table);
    if (columns.length === 0) continue;
    const name = generationTable(table, generation);
    const sql = `SELECT toString(count()) AS lost FROM ${name} FINAL WHERE ${columns.map(isRemovedSql).join(' OR ')}`;
    try {
      const [row] = await writer.rows<{ lost: string }>(sql, { params: rangeParams(repair), timeoutMs });
      if (row && row.lost !== '0') counts[table.name] = Number(row.lost);
    } catch (error) {
      if (!isServerError(error)) throw error;
      log.error({ err: error, table: name }, 'rows of removed events not counted: the table cannot be read');
      counts[table.name] = null;
    }
  }
  return counts;
};

/** Writes the facts as NDJSON, durably. Returns false, and leaves no file, if there are none. */
const writeFacts = async (path: string, pages: AsyncIterable<readonly LostFact[]>): Promise<boolean> => {
  let facts = 0;
  const lines = async function* () {
    for await (const page of pages) {
      facts += page.length;
      yield Buffer.from(page.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
    }
  };
  await replaceFile(path, lines());
  if (facts === 0) await rm(path);
  return facts > 0;
};

const saveFacts = async (
  dependencies: Dependencies,
  repair: LogRepair,
  projections: readonly ProjectionDeclaration[],
  dataDir: string,
): Promise<string | null> => {
  const { postgres, writer, log } = dependencies;
  const live = await findGenerations(postgres, projections, 'live');
  const folder = join(dataDir, 'repaired');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${repair.repaired_at.replaceAll(/[-:]|\.\d+/g, '')}.ndjson`);
  const facts = readLostFacts(
    writer,
    repair,
    (name) => live.find(({ projection }) => projection.name === name)?.generation,
    (table, error) => {
      // Stored JSON that cannot be parsed is damaged, too.
      if (!isServerError(error) && !(error instanceof SyntaxError)) throw error;
      log.error({ err: error, table, file: path }, 'facts of removed events not saved: the table cannot be read');
    },
  );
  return (await writeFacts(path, facts)) ? path : null;
};

const recordRepair = async (
  dependencies: Dependencies,
  repair: LogRepair,
  projections: readonly ProjectionDeclaration[],
  dataDir: string,
): Promise<void> => {
  const { postgres, log } = dependencies;
  const beyond = await findGenerationsBeyond(postgres, BigInt(lowestPosition(repair)));
  const file = beyond.length > 0 ? await saveFacts(dependencies, repair, projections, dataDir) : null;
  const affected: (LeaseKey & { readonly lost: LostEvents })[] = [];
  for (const key of beyond) {
    const declaration = projections.find(({ name }) => name === key.projection);
    const rows = declaration ? await countLostRows(dependencies, repair, declaration, key.generation) : {};
    // Tables of state, such as the registry, do not show which events their rows stem from.
    const isCountable = declaration?.tables.every((table) => sequenceColumns(table).length > 0) ?? false;
    if (isCountable && Object.keys(rows).length === 0) continue;
    affected.push({ ...key, lost: { repaired_at: repair.repaired_at, rows, file } });
  }
  await recordLogRepair(postgres, repair.repaired_at, affected);
  for (const { projection, generation, lost } of affected)
    log.error(
      { projection, generation, ...lost },
      'projection is ahead of the log: a repair removed events that it contains',
    );
};

/**
 * Records the repairs of the embedded event store that are new: saves the facts of removed events that ClickHouse contains in
 * `DATA_DIR/repaired`, counts their rows in each generation, and marks these generations, so that no replay begins by itself.
 */
export const recordLogRepairs = async (
  dependencies: Dependencies,
  projections: readonly ProjectionDeclaration[],
  dataDir: string,
): Promise<void> => {
  for (const repair of await readLogRepairs(dataDir))
    if (!(await isRepairRecorded(dependencies.postgres, repair.repaired_at)))
      await recordRepair(dependencies, repair, projections, dataDir);
};
