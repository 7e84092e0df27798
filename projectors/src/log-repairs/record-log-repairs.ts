import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nameInShard, nameWithoutShard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseWriter,
  generationTable,
  isServerError,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';
import {
  findGenerationsBeyond,
  isRepairRecorded,
  type GenerationKey,
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
  readonly log: Log;
}

/** A shard of ClickHouse with the projections whose rows it contains. */
export interface RepairedShard {
  readonly writer: ClickHouseWriter;
  readonly projections: readonly ProjectionDeclaration[];
}

const sequenceColumns = ({ fields }: TableDefinition): readonly string[] =>
  ['pos', 'play_pos', 'detection_pos'].filter((column) => column in fields);
const timeoutMs = 600_000;

/** Counts the rows of removed events in each table of a generation that has their sequences. Leaves out tables without such rows. */
const countLostRows = async (
  { writer, log }: Pick<Dependencies, 'log'> & Pick<RepairedShard, 'writer'>,
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
  { postgres, log }: Dependencies,
  repair: LogRepair,
  { writer, projections }: RepairedShard,
  dataDir: string,
): Promise<string | null> => {
  const folder = join(dataDir, 'repaired');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = nameInShard(repair.repaired_at.replaceAll(/[-:]|\.\d+/g, ''), writer.shard);
  const path = join(folder, `${name}.ndjson`);
  const live = await findGenerations(postgres, projections, 'live');
  const facts = readLostFacts(
    writer,
    repair,
    (projection) => live.find((each) => nameWithoutShard(each.projection.name) === projection)?.generation,
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
  shard: RepairedShard,
  dataDir: string,
): Promise<void> => {
  const { postgres, log } = dependencies;
  const { writer, projections } = shard;
  const names = projections.map(({ name }) => name);
  const beyond = await findGenerationsBeyond(postgres, names, BigInt(lowestPosition(repair)));
  const file = beyond.length > 0 ? await saveFacts(dependencies, repair, shard, dataDir) : null;
  const affected: (GenerationKey & { readonly lost: LostEvents })[] = [];
  for (const key of beyond) {
    const declaration = projections.find(({ name }) => name === key.projection)!;
    const rows = await countLostRows({ writer, log }, repair, declaration, key.generation);
    // Tables of state, such as the registry, do not show which events their rows stem from.
    const isCountable = declaration.tables.every((table) => sequenceColumns(table).length > 0);
    if (isCountable && Object.keys(rows).length === 0) continue;
    affected.push({ ...key, lost: { repaired_at: repair.repaired_at, rows, file } });
  }
  await recordLogRepair(postgres, { repairedAt: repair.repaired_at, shard: writer.shard }, affected);
  for (const { projection, generation, lost } of affected)
    log.error(
      { projection, generation, ...lost },
      'projection is ahead of the log: a repair removed events that it contains',
    );
};

/**
 * Records the repairs of the embedded event store that are new for a shard: saves the facts of removed events that its tables contain
 * in `DATA_DIR/repaired`, counts their rows in each generation, and marks these generations, so that no replay begins by itself. Must
 * end before a projection of the shard runs or is replayed. Throws if the shard does not respond.
 */
export const recordLogRepairs = async (
  dependencies: Dependencies,
  shard: RepairedShard,
  dataDir: string,
): Promise<void> => {
  for (const repair of await readLogRepairs(dataDir)) {
    const ofShard = { repairedAt: repair.repaired_at, shard: shard.writer.shard };
    if (!(await isRepairRecorded(dependencies.postgres, ofShard)))
      await recordRepair(dependencies, repair, shard, dataDir);
  }
};
