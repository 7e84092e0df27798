import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { resetUnsyncedParts, type LeaseKey, type Postgres } from '@popsvc/platform/postgres';
import { readServerStart } from '../same-server.ts';

/** Has everything done again that a restart of ClickHouse may have undone. */
export const reopenLostParts = async (
  { writer, postgres }: { readonly writer: ClickHouseWriter; readonly postgres: Postgres },
  key: LeaseKey,
): Promise<void> => {
  await resetUnsyncedParts(postgres, key, await readServerStart(writer));
};
