import { analystGrants, readsOwn } from '@popsvc/contracts/analysts';
import { createOwnRows, createOwnView, createTable, type Writer } from '@popsvc/platform/read-store';
import type { Live } from './live.ts';

/** Points what analysts' views read at a generation: the same rows as other readers see, but for those of other networks. */
export const pointOwnRows = async (writer: Writer, { projection, generation }: Live): Promise<void> => {
  await writer.run(createTable(analystGrants, 1));
  for (const table of projection.tables.filter(readsOwn)) await writer.run(createOwnRows(table, generation));
  for (const view of (projection.views ?? []).filter(readsOwn)) await writer.run(createOwnView(view, generation));
};
