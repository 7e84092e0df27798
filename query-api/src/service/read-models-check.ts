import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { degraded, NotReadyError } from '@popsvc/platform/http';
import { readReadableState } from '@popsvc/read-models/generations';

/**
 * Creates a readiness check that fails until the tables were verified after the last start of ClickHouse. It is degraded while
 * damaged tables are rebuilt: all other reports are available.
 */
export const createReadModelsCheck = (reader: ClickHouseReader) => async (): Promise<unknown> => {
  // Pass if ClickHouse or the list is unavailable; the checks `clickhouse` and `schema` report that.
  const state = await readReadableState(reader).catch(() => undefined);
  if (!state) return undefined;
  if (!state.isVerified)
    throw new NotReadyError('the projectors have not verified the tables since ClickHouse started');
  const tables = [...state.unreadable].flatMap(([name, reason]) => (reason === 'damage' ? [name] : []));
  const damaged = new Set([...tables, ...state.damagedRanges.map(({ name }) => name)]);
  return damaged.size === 0 ? undefined : degraded(`damaged and being rebuilt: ${[...damaged].join(', ')}`);
};
