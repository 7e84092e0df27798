import { sequenceOf } from '@popsvc/contracts/events';
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
import type { Log } from '@popsvc/platform/telemetry';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import { type LogRepair, readLogRepairs } from './read-log-repairs.ts';

interface Dependencies {
  readonly postgres: Postgres;
  readonly log: Log;
}

export interface RepairedShard {
  readonly writer: ClickHouseWriter;
  readonly projections: readonly ProjectionDeclaration[];
}

const isRemovedSql = (sequence: string): string =>
  `(${sequence} >= {lowest:UInt64} AND ${sequence} < {highest:UInt64} AND
    arrayExists((f, t) -> ${sequence} >= f AND ${sequence} < t, {starts:Array(UInt64)}, {ends:Array(UInt64)}))`;

const sequenceText = (position: number): string => sequenceOf(BigInt(position)).toString();

const lowestPosition = ({ ranges }: LogRepair): number => Math.min(...ranges.map(({ from }) => from));

const rangeParams = (repair: LogRepair) => ({
  lowest: sequenceText(lowestPosition(repair)),
  highest: sequenceText(Math.max(...repair.ranges.map(({ to }) => to))),
  starts: `[${repair.ranges.map(({ from }) => sequenceText(from)).join(',')}]`,
  ends: `[${repair.ranges.map(({ to }) => sequenceText(to)).join(',')}]`,
});

const sequenceColumns = ({ fields }: TableDefinition): readonly string[] =>
  ['pos', 'play_pos', 'detection_pos'].filter((column) => column in fields);
const timeoutMs = 600_000;

/** Counts rows of removed events by table. Omits tables without any. The count of a table that cannot be read is null. */
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

const recordRepair = async (
  { postgres, log }: Dependencies,
  repair: LogRepair,
  { writer, projections }: RepairedShard,
): Promise<void> => {
  const names = projections.map(({ name }) => name);
  const beyond = await findGenerationsBeyond(postgres, names, BigInt(lowestPosition(repair)));
  const affected: (GenerationKey & { readonly lost: LostEvents })[] = [];
  for (const key of beyond) {
    const declaration = projections.find(({ name }) => name === key.projection)!;
    const rows = await countLostRows({ writer, log }, repair, declaration, key.generation);
    // Some tables, such as those of the registry, do not show from which events their rows come. A generation with such a table always
    // counts as affected.
    const isCountable = declaration.tables.every((table) => sequenceColumns(table).length > 0);
    if (isCountable && Object.keys(rows).length === 0) continue;
    affected.push({ ...key, lost: { repaired_at: repair.repaired_at, rows } });
  }
  await recordLogRepair(postgres, { repairedAt: repair.repaired_at, shard: writer.shard }, affected);
  for (const { projection, generation, lost } of affected)
    log.error(
      { projection, generation, ...lost },
      'projection is ahead of the log: a repair removed events that it contains',
    );
};

/**
 * Marks generations that may have rows of removed events: an automatic replay would lose these rows. Must end before a projection of the
 * shard runs or is replayed.
 */
export const recordLogRepairs = async (
  dependencies: Dependencies,
  shard: RepairedShard,
  dataDir: string,
): Promise<void> => {
  for (const repair of await readLogRepairs(dataDir)) {
    const ofShard = { repairedAt: repair.repaired_at, shard: shard.writer.shard };
    if (!(await isRepairRecorded(dependencies.postgres, ofShard))) await recordRepair(dependencies, repair, shard);
  }
};
