import type { Writer } from '@popsvc/platform/read-store';
import { distrustParts, type LeaseKey, type Records } from '@popsvc/platform/records';

/** Has everything done again that a restart of ClickHouse may have undone. */
export const distrust = async (
  { writer, records }: { readonly writer: Writer; readonly records: Records },
  key: LeaseKey,
): Promise<void> => {
  const [row] = await writer.rows<{ uptime: number }>('SELECT toUInt32(uptime()) AS uptime');
  await distrustParts(records, key, row?.uptime ?? 0);
};
