import {
  bind,
  type ClickHouseReader,
  fewRows,
  generationTable,
  isTableMissing,
  liveViewName,
  type Sql,
  sql,
  sqlText,
  tableName,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';
import type { ResponseHeaders } from '@popsvc/platform/http';
import { type CachedRead, cacheRead } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import {
  damagedCause,
  derivedCoffee,
  derivedWatcherSummary,
  includesNetwork,
  liveGenerationsView,
  type PendingNetworks,
  progressOf,
} from '@popsvc/read-models/tables';

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
  /** The last position at which facts changed. */
  readonly changedPosition: bigint;
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

interface ProgressOptions {
  /** Bypasses the cache. */
  readonly isUncached?: boolean;
  /** Rejects if the read fails. By default it resolves with undefined, because reports can be served without the progress. */
  readonly isRequired?: boolean;
}

/** Reads the progress of a projection. Resolves with undefined if nothing is projected yet. */
export type ReadProgress = (projection: string, options?: ProgressOptions) => Promise<GenerationProgress | undefined>;

const liveGenerationsQuery: Sql = sql`
SELECT projection, generation, tables_id, shards, partitions FROM ${liveViewName(liveGenerationsView)} ${fewRows}`;

interface LiveGeneration {
  readonly projection: string;
  readonly generation: number;
  readonly tables_id: string;
  readonly shards: number;
  readonly partitions: number;
}

/**
 * Selects the last batches of the partitions of all generations. A condition, or a view around it, costs more
 * CPU time than these few rows. Positions are text, because a double may not represent them.
 */
const progressQuery = (projection: string): Sql => sql`
SELECT generation, partitions, partition, toString(pos) AS position, toString(changed_pos) AS changed_position,
  toUnixTimestamp64Milli(as_of) AS as_of_ms
FROM ${tableName(progressOf(projection), 1)} ${fewRows}`;

interface ProgressRow {
  readonly generation: number;
  readonly partitions: number;
  readonly partition: number;
  readonly position: string;
  readonly changed_position: string;
  readonly as_of_ms: number;
}

/** No partition of the projection has written a batch. */
class NothingProjected extends Error {}

type OwnProgress = Omit<GenerationProgress, 'pending'>;

/**
 * Finds the progress of a live generation. Everything up to the lowest position of its partitions can be read: nothing while one of
 * them has written no batch. Undefined if none of them has.
 */
const findProgress = (live: LiveGeneration, all: readonly ProgressRow[]): OwnProgress | undefined => {
  const rows = all.filter(
    ({ generation, partitions }) => generation === live.generation && partitions === live.partitions,
  );
  if (rows.length === 0) return undefined;
  const newest = new Map<number, { readonly position: bigint; readonly asOfMs: number }>();
  let changedPosition = 0n;
  for (const { partition, position, changed_position, as_of_ms } of rows) {
    const [reached, changed] = [BigInt(position), BigInt(changed_position)];
    if (changed > changedPosition) changedPosition = changed;
    // A row that ClickHouse has not merged yet is older.
    if (reached >= (newest.get(partition)?.position ?? 0n))
      newest.set(partition, { position: reached, asOfMs: as_of_ms });
  }
  const oldest = [...newest.values()].reduce((one, other) => (other.position < one.position ? other : one));
  const { position, asOfMs } = newest.size === live.partitions ? oldest : { position: 0n, asOfMs: 0 };
  return { generation: live.generation, tablesId: live.tables_id, position, changedPosition, asOfMs };
};

const pendingTables: Readonly<Record<string, TableDefinition>> = {
  coffee: derivedCoffee.pending,
  'watcher-summary': derivedWatcherSummary.pending,
};

/** Selects the networks with pending ranges of a generation. */
const pendingQuery = (pending: TableDefinition, generation: number): Sql => sql`
SELECT toFloat64(network_id) AS network, toFloat64(greatest(network_id, last_network)) AS last, toFloat64(toUnixTimestamp64Milli(min(as_of))) AS as_of_ms
FROM ${sqlText(generationTable(pending, generation))} FINAL WHERE cause != ${bind('String', damagedCause)} GROUP BY network, last ${fewRows}`;

interface PendingRow {
  readonly network: number;
  readonly last: number;
  readonly as_of_ms: number;
}

const readPending = async (
  reader: ClickHouseReader,
  projection: string,
  { generation, partitions, shards }: LiveGeneration,
): Promise<readonly PendingSince[]> => {
  const table = pendingTables[projection];
  if (!table) return [];
  const rows = await reader.rows<PendingRow>(pendingQuery(table, generation));
  return rows.map(({ network, last: lastNetwork, as_of_ms: asOfMs }) => ({
    network,
    lastNetwork,
    partitions,
    shards,
    asOfMs,
  }));
};

const maxAgeMs = 250;
/**
 * After a switch, readers use the tables of the former generation for up to this long. If these are dropped earlier, the request is
 * repeated.
 */
const liveMaxAgeMs = 500;

/**
 * Creates the function that reads the progress of a projection. Callers must read the progress before the rows. Otherwise, the
 * progress may include events whose rows are not in the response. While a projection is in use, its progress is read again in the background.
 */
export const createProgressReader = (reader: ClickHouseReader, log: Log): ReadProgress => {
  const liveGenerations = cacheRead(() => reader.rows<LiveGeneration>(liveGenerationsQuery), {
    refreshMs: 0.75 * liveMaxAgeMs,
  });
  const read = async (projection: string): Promise<GenerationProgress> => {
    const all = await liveGenerations.get(performance.now() - liveMaxAgeMs);
    const live = all.find((each) => each.projection === projection);
    const own = live && findProgress(live, await reader.rows<ProgressRow>(progressQuery(projection)));
    if (!own) throw new NothingProjected();
    // The pending ranges are read afterwards: those that a batch puts off are pending before its progress is written.
    return { ...own, pending: await readPending(reader, projection, live) };
  };
  const known = new Map<string, CachedRead<GenerationProgress>>();
  return async (projection, { isUncached = false, isRequired = false } = {}) => {
    const cached = known.get(projection) ?? cacheRead(() => read(projection), { refreshMs: 0.75 * maxAgeMs });
    known.set(projection, cached);
    try {
      if (isUncached) await liveGenerations.get(performance.now());
      return await cached.get(performance.now() - (isUncached ? 0 : maxAgeMs));
    } catch (err) {
      if (err instanceof NothingProjected) return undefined;
      if (isRequired) throw err;
      log.warn({ err, projection }, 'failed to read projection progress');
      return undefined;
    }
  };
};

/** Identifies the facts of a generation: it differs after they changed. */
export const factsIdOf = ({
  tablesId,
  generation,
  changedPosition,
}: Pick<GenerationProgress, 'tablesId' | 'generation' | 'changedPosition'>): string =>
  `${tablesId} ${generation} ${changedPosition}`;

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
