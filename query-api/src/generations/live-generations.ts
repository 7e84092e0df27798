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
  type TableDefinition,
} from '@popsvc/platform/clickhouse';
import type { ResponseHeaders } from '@popsvc/platform/http';
import type { Log } from '@popsvc/platform/telemetry';
import {
  damagedCause,
  derivedCoffee,
  derivedWatcherSummary,
  includesNetwork,
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

/**
 * Reads the progress of a projection. Resolves with undefined if nothing is projected yet or if the read fails, because reports
 * can be served without the progress. `isUncached` bypasses the cache.
 */
export type ReadProgress = (
  projection: string,
  options?: { readonly isUncached: boolean },
) => Promise<GenerationProgress | undefined>;

/** Selects the last batches of the partitions of a live generation. Positions are text, because a double may not represent them. */
const progressQuery = (projection: string): Sql => sql`
SELECT generation, tables_id, shards, partitions, partition, toString(pos) AS position, toString(changed_pos) AS changed_position,
  toUnixTimestamp64Milli(as_of) AS as_of_ms
FROM ${liveViewName(progressOf(projection))} ${fewRows}`;

interface ProgressRow {
  readonly generation: number;
  readonly tables_id: string;
  readonly shards: number;
  readonly partitions: number;
  readonly partition: number;
  readonly position: string;
  readonly changed_position: string;
  readonly as_of_ms: number;
}

type OwnProgress = Omit<GenerationProgress, 'pending'>;

/** Everything up to the lowest position of the partitions can be read: nothing while one of them has written no batch. */
const joinPartitions = (rows: readonly ProgressRow[]): OwnProgress | undefined => {
  const newest = new Map<number, { readonly position: bigint; readonly asOfMs: number }>();
  let changedPosition = 0n;
  for (const { partition, position, changed_position, as_of_ms } of rows) {
    const [reached, changed] = [BigInt(position), BigInt(changed_position)];
    if (changed > changedPosition) changedPosition = changed;
    // A row that ClickHouse has not merged yet is older.
    if (reached >= (newest.get(partition)?.position ?? 0n))
      newest.set(partition, { position: reached, asOfMs: as_of_ms });
  }
  const [first] = rows;
  if (!first) return undefined;
  const oldest = [...newest.values()].reduce((one, other) => (other.position < one.position ? other : one));
  const { position, asOfMs } = newest.size === first.partitions ? oldest : { position: 0n, asOfMs: 0 };
  return { generation: first.generation, tablesId: first.tables_id, position, changedPosition, asOfMs };
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
  { generation, partitions, shards }: ProgressRow,
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

const cacheMs = 250;

/**
 * Creates the function that reads the progress of a projection. Callers must read the progress before the rows. Otherwise, the
 * progress may include events whose rows are not in the response.
 */
export const createProgressReader = (reader: ClickHouseReader, log: Log): ReadProgress => {
  const known = new Map<
    string,
    { readonly sentAtMs: number; readonly progress: Promise<GenerationProgress | undefined> }
  >();
  const read = async (projection: string): Promise<GenerationProgress | undefined> => {
    try {
      const rows = await reader.rows<ProgressRow>(progressQuery(projection));
      const own = joinPartitions(rows);
      // The pending ranges are read afterwards: those that a batch puts off are pending before its progress is written.
      return own && { ...own, pending: await readPending(reader, projection, rows[0]!) };
    } catch (err) {
      log.warn({ err, projection }, 'failed to read projection progress');
      return undefined;
    }
  };
  return async (projection, { isUncached } = { isUncached: false }) => {
    const now = performance.now();
    let last = known.get(projection);
    if (!last || isUncached || now - last.sentAtMs > cacheMs) {
      last = { sentAtMs: now, progress: read(projection) };
      known.set(projection, last);
    }
    const found = await last.progress;
    // The read failed, or the projection will soon have some progress.
    if (!found && known.get(projection) === last) known.delete(projection);
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
