import { isReadByAnalysts } from '../analysts/all.ts';
import { createOwnRowsOfTable, createOwnRowsOfView } from '../analysts/analyst-ddl.ts';
import { analystGrants } from '../analysts/grants.table.ts';
import { createTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Generation } from './live.ts';

/** Readers may be waiting behind it, and nobody waits for analysts. */
const patience = { timeoutMs: 5_000 };

/** Points what analysts' views read at a generation: the same rows as other readers see, but for those of other networks. */
export const pointAnalystRowsAt = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<void> => {
  const views = [
    ...projection.tables.filter(isReadByAnalysts).map((table) => createOwnRowsOfTable(table, generation)),
    ...(projection.views ?? []).filter(isReadByAnalysts).map((view) => createOwnRowsOfView(view, generation)),
  ];
  if (views.length === 0) return;
  await writer.run(createTable(analystGrants, 1), patience);
  await Promise.all(views.map((view) => writer.run(view, patience)));
};

const ownSql = `SELECT name, create_table_query AS text FROM system.tables
  WHERE database = currentDatabase() AND endsWith(name, '_own')`;

/** Generations of which a view's text reads tables. */
const generationsIn = (text: string): readonly number[] =>
  [...text.matchAll(/\b(\w+)_g(\d+)\b/g)]
    .filter(([, table]) => table !== analystGrants.name)
    .map(([, , generation]) => Number(generation));

/** The live generations that analysts do not see, or not all of: a view is missing, or reads another one. */
export const findGenerationsHiddenFromAnalysts = async (
  writer: ClickHouseWriter,
  live: readonly Generation[],
): Promise<readonly Generation[]> => {
  const rows = await writer.rows<{ name: string; text: string }>(ownSql, patience);
  const found = new Map(rows.map(({ name, text }) => [name, generationsIn(text)]));
  const isSeen = (name: string, generation: number) => {
    const read = found.get(`${name}_own`);
    return read !== undefined && read.length > 0 && read.every((each) => each === generation);
  };
  return live.filter(({ projection, generation }) =>
    [...projection.tables, ...(projection.views ?? [])]
      .filter(isReadByAnalysts)
      .some(({ name }) => !isSeen(name, generation)),
  );
};
