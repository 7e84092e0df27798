import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import type { Log } from '@popsvc/platform/telemetry';
import { LRUCache } from 'lru-cache';
import { progressQuery } from '../queries/index.ts';

/** How far the live generation of a projection is written. */
export interface Progress {
  readonly generation: number;
  /** Its tables and no others: numbers come again where PostgreSQL was restored. */
  readonly tablesId: string;
  /** Every row that follows from the log up to here can be read. */
  readonly position: bigint;
  /** When the newest event of that was received, ms since 1970. */
  readonly asOfMs: number;
}

/** Undefined while nothing is projected, or when it cannot be read: a report goes without it. `isAnew`: what is remembered does not count. */
export type ProgressOf = (projection: string, how?: { readonly isAnew: boolean }) => Promise<Progress | undefined>;

interface Stored {
  readonly generation: number;
  readonly tables_id: string;
  readonly position: string;
  readonly as_of_ms: number;
}

const believedMs = 250;

/** Asked before the rows are read: an older answer promises too little, a newer one would promise too much. */
export const progressOf = (reader: ClickHouseReader, log: Log): ProgressOf => {
  const known = new LRUCache<string, Progress>({ max: 100, ttl: believedMs });
  const ask = async (projection: string): Promise<Progress | undefined> => {
    try {
      const query = progressQuery(projection);
      const [row] = await reader.rows<Stored>(query);
      if (!row) return undefined;
      const { generation, tables_id: tablesId, position, as_of_ms: asOfMs } = row;
      return { generation, tablesId, position: BigInt(position), asOfMs };
    } catch (err) {
      log.warn({ err, projection }, 'how far the projection is cannot be read');
      return undefined;
    }
  };
  return async (projection, { isAnew } = { isAnew: false }) => {
    const before = isAnew ? undefined : known.get(projection);
    if (before) return before;
    const progress = await ask(projection);
    if (progress) known.set(projection, progress);
    return progress;
  };
};
