import { bind, type ClickHouseReader, isTableMissing, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { ResponseHeaders } from '@popsvc/platform/http';
import type { Log } from '@popsvc/platform/telemetry';
import { includesNetwork, type PendingNetworks, pendingView, progressView } from '@popsvc/read-models/tables';
import { LRUCache } from 'lru-cache';

interface PendingSince extends PendingNetworks {
  /** Everything received up to then is derived, ms since 1970. */
  readonly asOfMs: number;
}

/** The progress of a projection's live generation. */
export interface GenerationProgress {
  readonly generation: number;
  /**
   * Identifies the tables of the generation. The number alone is ambiguous: it may be reused after PostgreSQL is restored from a
   * backup.
   */
  readonly tablesId: string;
  /** The rows of all events up to this log position can be read. */
  readonly position: bigint;
  /** When the newest event up to that position was appended, ms since 1970. */
  readonly asOfMs: number;
  /** Networks whose rows are derived later than those of others, for example because they exceed their share. */
  readonly pending: readonly PendingSince[];
}

/** Returns the time up to which everything received of a network is derived, ms since 1970; undefined if it has no pending ranges. */
export const findPendingAsOfMs = (
  { pending }: Pick<GenerationProgress, 'pending'>,
  wanted: number,
): number | undefined => {
  const times = pending.filter((each) => includesNetwork(each, wanted)).map(({ asOfMs }) => asOfMs);
  return times.length > 0 ? Math.min(...times) : undefined;
};

/**
 * Reads the progress of a projection. Resolves with undefined if nothing is projected yet or if the read fails, because reports
 * can be served without the progress. `isUncached` bypasses the cache.
 */
export type ReadProgress = (
  projection: string,
  options?: { readonly isUncached: boolean },
) => Promise<GenerationProgress | undefined>;

/** Selects the progress of a projection. `position` is text, because it may exceed the integer precision of a double. */
const progressQuery = (projection: string): Sql => sql`
SELECT generation, any(tables_id) AS tables_id, toString(max(pos)) AS position, toUnixTimestamp64Milli(max(as_of)) AS as_of_ms,
  (SELECT groupArray((toFloat64(network_id), toFloat64(last_network), partitions, shards, toFloat64(toUnixTimestamp64Milli(as_of))))
   FROM ${liveViewName(pendingView)} WHERE projection = ${bind('String', projection)}) AS pending
FROM ${liveViewName(progressView)} WHERE projection = ${bind('String', projection)}
GROUP BY generation ORDER BY generation DESC LIMIT 1`;

interface ProgressRow {
  readonly generation: number;
  readonly tables_id: string;
  readonly position: string;
  readonly as_of_ms: number;
  readonly pending: readonly (readonly [
    network: number,
    lastNetwork: number,
    partitions: number,
    shards: number,
    asOfMs: number,
  ])[];
}

const cacheMs = 250;

/**
 * Creates the function that reads the progress of a projection. Callers must read the progress before the rows. Otherwise, the
 * progress may include events whose rows are not in the response.
 */
export const createProgressReader = (reader: ClickHouseReader, log: Log): ReadProgress => {
  const cache = new LRUCache<string, GenerationProgress>({ max: 100, ttl: cacheMs });
  const read = async (projection: string): Promise<GenerationProgress | undefined> => {
    try {
      const [row] = await reader.rows<ProgressRow>(progressQuery(projection));
      if (!row) return undefined;
      const { generation, tables_id: tablesId, position, as_of_ms: asOfMs } = row;
      const pending = row.pending.map(([network, lastNetwork, partitions, shards, ms]) => ({
        network,
        lastNetwork,
        partitions,
        shards,
        asOfMs: ms,
      }));
      return { generation, tablesId, position: BigInt(position), asOfMs, pending };
    } catch (err) {
      log.warn({ err, projection }, 'failed to read projection progress');
      return undefined;
    }
  };
  return async (projection, { isUncached } = { isUncached: false }) => {
    const cached = isUncached ? undefined : cache.get(projection);
    if (cached) return cached;
    const found = await read(projection);
    if (found) cache.set(projection, found);
    return found;
  };
};

/**
 * Returns the `X-Data-As-Of` header. The response includes all data of the networks that was received up to the time in this
 * header. Returns no header if the progress is unknown.
 */
export const dataAsOfHeader = (
  found: GenerationProgress | undefined,
  networks: readonly number[] = [],
): ResponseHeaders => {
  if (!found) return {};
  const { asOfMs } = found;
  const oldestMs = Math.min(asOfMs, ...networks.map((network) => findPendingAsOfMs(found, network) ?? asOfMs));
  return { 'X-Data-As-Of': new Date(oldestMs).toISOString() };
};

/** Returns the `X-Data-As-Of` header of rows that were read from several shards; no header if the progress of one is unknown. */
export const oldestDataAsOfHeader = (found: readonly (GenerationProgress | undefined)[]): ResponseHeaders => {
  const known = found.flatMap((progress) => progress ?? []);
  const [oldest] = known.toSorted((one, other) => one.asOfMs - other.asOfMs);
  return known.length === found.length ? dataAsOfHeader(oldest) : {};
};

/** The live generation of each projection. If it is unknown, the value is undefined and queries read the live views. */
type PinnedGenerations<Name extends string> = Readonly<Record<Name, GenerationProgress | undefined>>;

/**
 * Calls `read` with the live generation of each projection. All queries of a request then read the same tables, even if another
 * generation becomes live between two queries. The live generations are cached. If a cached generation has been dropped in the
 * meantime, a query fails because its tables are missing. In that case, `read` is called again with generations that were read
 * without the cache. If tables are still missing, `read` is called without generations, and its queries read the live views.
 */
export type PinGenerations = <const Name extends string, T>(
  projections: readonly Name[],
  read: (generations: PinnedGenerations<Name>) => Promise<T>,
) => Promise<T>;

export const createGenerationPinning =
  (readProgress: ReadProgress): PinGenerations =>
  async <Name extends string, T>(
    projections: readonly Name[],
    read: (generations: PinnedGenerations<Name>) => Promise<T>,
  ) => {
    const attempts: readonly ReadProgress[] = [
      readProgress,
      (projection) => readProgress(projection, { isUncached: true }),
    ];
    const readWith = async (find: ReadProgress): Promise<T> => {
      const found = await Promise.all(projections.map(async (name) => [name, await find(name)] as const));
      return read(Object.fromEntries(found) as PinnedGenerations<Name>);
    };
    for (const find of attempts)
      try {
        return await readWith(find);
      } catch (error) {
        if (!isTableMissing(error)) throw error;
      }
    return readWith(() => Promise.resolve(undefined));
  };
