import { nameWithoutShard } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, createTable, generationTable } from '@popsvc/platform/clickhouse';
import { progressTable, writtenPosition } from '../declarations/progress.table.ts';
import { reportHistory } from '../declarations/report-history.table.ts';
import type { Generation } from './generations.ts';

const table = generationTable(reportHistory, 1);
const insert = `INSERT INTO ${table} (projection, kind, since, generation)`;

type Which = Pick<Generation, 'projection' | 'generation' | 'version'>;

const params = ({ projection, generation }: Which) => ({ projection: nameWithoutShard(projection.name), generation });

export const recordLiveGeneration = async (writer: ClickHouseWriter, which: Which): Promise<void> => {
  const { projection, version = projection.version } = which;
  if (!projection.derived) return;
  await writer.run(
    `INSERT INTO ${table} (projection, kind, since, generation, version, pos)
     SELECT {projection:String}, 'live', max(as_of), {generation:UInt32}, {version:UInt32}, (${writtenPosition(projection.name, which.generation)})
     FROM ${progressTable(projection.name)} WHERE generation = {generation:UInt32}`,
    { params: { ...params(which), version } },
  );
};

/** Records that a generation may lack former rows, or have wrong ones, so it answers no reports of times before now. */
export const shortenHistory = async (writer: ClickHouseWriter, which: Which): Promise<void> => {
  if (!which.projection.derived) return;
  await writer.run(`${insert} SELECT {projection:String}, 'whole', now64(3, 'UTC'), {generation:UInt32}`, {
    params: params(which),
  });
};

/** A new table lacks the former rows of times before now. */
export const createHistory = async (
  writer: ClickHouseWriter,
  which: Which,
  relations: ReadonlySet<string>,
): Promise<void> => {
  const { derived } = which.projection;
  if (!derived || relations.has(generationTable(derived.history, which.generation))) return;
  await shortenHistory(writer, which);
  await writer.run(createTable(derived.history, which.generation, writer));
};

/** Deletes former rows only in whole days. */
export const pruneHistory = async (
  writer: ClickHouseWriter,
  generations: readonly Generation[],
  days: number,
): Promise<void> => {
  for (const which of generations) {
    const { derived } = which.projection;
    if (!derived) continue;
    const history = generationTable(derived.history, which.generation);
    const old = await writer.rows<{ day: string }>(
      `SELECT DISTINCT partition AS day FROM system.parts WHERE active AND database = currentDatabase() AND table = {history:String}
       AND toUInt32OrZero(partition) < toYYYYMMDD(now('UTC') - INTERVAL {days:UInt32} DAY) ORDER BY day`,
      { params: { history, days } },
    );
    if (old.length === 0) continue;
    await writer.run(
      `${insert} SELECT {projection:String}, 'whole', toStartOfDay(now64(3, 'UTC') - INTERVAL {days:UInt32} DAY), {generation:UInt32}`,
      { params: { ...params(which), days } },
    );
    for (const { day } of old) await writer.run(`ALTER TABLE ${history} DROP PARTITION ${day}`);
  }
};
