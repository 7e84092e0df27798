import { createHash } from 'node:crypto';
import { progress } from '../tables/progress.table.ts';
import { createView, generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Generation } from './live.ts';

const tablesSql = 'SELECT name, toString(uuid) AS uuid FROM system.tables WHERE database = currentDatabase()';

/** What the tables of a generation are called that no others ever will be: its number may come again after a restore. */
const idsOf = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<readonly string[]> => {
  const rows = await writer.rows<{ name: string; uuid: string }>(tablesSql);
  const uuids = new Map(rows.map(({ name, uuid }) => [name, uuid]));
  return live.map(({ projection, generation }) => {
    const all = projection.tables.map((table) => uuids.get(generationTable(table, generation)) ?? '');
    return createHash('sha256').update(all.join()).digest('hex').slice(0, 16);
  });
};

const list = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

/** How far each live generation is projected, for the readers, and which tables it is made of. */
export const pointProgressView = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  const which = live.map(({ projection, generation }) => `('${projection.name}', ${generation})`).join(', ');
  const names = list(live.map(({ projection }) => projection.name));
  const ids = list(await idsOf(writer, live));
  await writer.run(`CREATE OR REPLACE VIEW progress_live AS
    SELECT projection, generation, max(pos) AS pos, max(as_of) AS as_of,
      transform(toString(projection), ${names}, ${ids}, '') AS tables_id
    FROM ${generationTable(progress, 1)}
    WHERE (projection, generation) IN (${which}) GROUP BY projection, generation`);
};

/** Of a live generation the tables that are newer than it, and the views over them. */
const lackedBy = ({
  projection,
  generation,
  incompleteTables: incompleteTables = [],
}: Generation): readonly string[] => {
  const tables = projection.tables
    .filter(({ name }) => incompleteTables.includes(name))
    .map((table) => generationTable(table, generation));
  const over = (projection.views ?? []).filter((view) =>
    tables.some((table) => createView(view, generation).includes(`\`${table}\``)),
  );
  return [...incompleteTables, ...over.map(({ name }) => name)];
};

/** What readers may not read yet, for the live generation has nothing in it from before it was made. */
export const pointIncompleteView = (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> =>
  writer.run(`CREATE OR REPLACE VIEW lacking_live AS
    SELECT arrayJoin(CAST(${list(live.flatMap(lackedBy))}, 'Array(String)')) AS name`);
