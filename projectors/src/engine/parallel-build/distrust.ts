import type { Writer } from '@popsvc/platform/clickhouse';
import { distrustParts, type LeaseKey, type Records } from '@popsvc/platform/postgres';
import { serverBegan } from '../same-server.ts';

/** Has everything done again that a restart of ClickHouse may have undone. */
export const distrust = async (
  { writer, records }: { readonly writer: Writer; readonly records: Records },
  key: LeaseKey,
): Promise<void> => {
  await distrustParts(records, key, await serverBegan(writer));
};
