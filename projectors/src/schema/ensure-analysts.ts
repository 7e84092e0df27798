import { analystsDatabase, analystViews } from '@popsvc/contracts/analysts';
import { createAnalystView, type Writer } from '@popsvc/platform/read-store';
import type { Live } from './live.ts';
import { pointOwnRows } from './own-rows.ts';

/** What analysts see, in a database of its own; after the schema of all projections, safe to run at every start. */
export const ensureAnalysts = async (writer: Writer, live: readonly Live[]): Promise<void> => {
  for (const each of live) await pointOwnRows(writer, each);
  await writer.run(`CREATE DATABASE IF NOT EXISTS ${analystsDatabase(writer.database)}`);
  for (const view of analystViews) await writer.run(createAnalystView(view, writer.database));
};
