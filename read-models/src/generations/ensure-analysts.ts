import { analystViews } from '../analysts/all.ts';
import { createAnalystView } from '../analysts/analyst-ddl.ts';
import { analystsDatabase } from '../analysts/analysts-database.ts';
import { type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Generation } from './live.ts';
import { pointAnalystRowsAt } from './own-rows.ts';

/** The views that analysts ask, in a database of their own. They need what `pointOwnRows` makes. */
export const createAnalystViews = async (writer: ClickHouseWriter): Promise<void> => {
  await writer.run(`CREATE DATABASE IF NOT EXISTS ${analystsDatabase(writer.database)}`);
  for (const view of analystViews) await writer.run(createAnalystView(view, writer.database));
};

/** All that analysts see; after the schema of all projections, safe to run at every start. */
export const ensureAnalystViews = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  for (const each of live) await pointAnalystRowsAt(writer, each);
  await createAnalystViews(writer);
};

const viewsSql = 'SELECT name FROM system.tables WHERE database = {database:String}';

/** The views of theirs that are not there. */
export const findMissingAnalystViews = async (writer: ClickHouseWriter): Promise<readonly string[]> => {
  const params = { database: analystsDatabase(writer.database) };
  const rows = await writer.rows<{ name: string }>(viewsSql, { params, timeoutMs: 5_000 });
  const there = new Set(rows.map(({ name }) => name));
  return analystViews.map(({ name }) => name).filter((name) => !there.has(name));
};
