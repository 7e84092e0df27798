import { instantOf } from '@popsvc/contracts/time';
import { isTableMissing } from '@popsvc/platform/clickhouse';
import type { ResponseHeaders } from '@popsvc/http-kit/server';
import { includesNetwork, type PendingNetworks } from '@popsvc/read-models/tables';

export interface PendingSince extends PendingNetworks {
  /** The rows of these networks include everything received up to this time, ms since 1970. */
  readonly asOfMs: number;
}

export interface GenerationProgress {
  readonly generation: number;
  /**
   * Identifies the tables of the generation. `generation` is ambiguous: after a restore of PostgreSQL from a backup, its number may be used
   * again for other tables.
   */
  readonly tablesId: string;
  /** The rows of all events up to this log position can be read. */
  readonly position: bigint;
  /** The log position of the last event that changed what the projection stores. */
  readonly changedPosition: bigint;
  /** When the newest event up to `position` was appended, ms since 1970. */
  readonly asOfMs: number;
  /** Networks whose newest rows are written later than those of other networks, for example because they exceed their share of a batch. */
  readonly pending: readonly PendingSince[];
}

/**
 * Returns the time up to which the rows of a network include everything received, ms since 1970; undefined if no rows of the network are
 * pending.
 */
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
  /**
   * Whether to reject if the read fails. By default, the read resolves with undefined, because reports can be served without the progress.
   */
  readonly isRequired?: boolean;
}

/** Reads the progress of a projection. Resolves with undefined if nothing is projected yet, or if its tables are missing or damaged. */
export type ReadProgress = (projection: string, options?: ProgressOptions) => Promise<GenerationProgress | undefined>;

/** Returns an id of what a generation stores. The id changes with each event that changes a row, so it can be part of a cache key. */
export const factsIdOf = ({
  tablesId,
  generation,
  changedPosition,
}: Pick<GenerationProgress, 'tablesId' | 'generation' | 'changedPosition'>): string =>
  `${tablesId} ${generation} ${changedPosition}`;

/** Returns the time up to which the rows of the networks include everything received, ms since 1970. */
export const dataAsOfMs = (progress: GenerationProgress, networks: readonly number[]): number =>
  Math.min(progress.asOfMs, ...networks.map((network) => findPendingAsOfMs(progress, network) ?? progress.asOfMs));

/**
 * Returns the `X-Data-As-Of` header: the time up to which the rows of the networks include everything received. Returns no header if the
 * progress is unknown.
 */
export const dataAsOfHeader = (
  found: GenerationProgress | undefined,
  networks: readonly number[] = [],
): ResponseHeaders => {
  if (!found) return {};
  return { 'X-Data-As-Of': instantOf(dataAsOfMs(found, networks)) };
};

/**
 * Returns the `X-Data-As-Of` header for rows of several shards or projections: the earliest of their times. Returns no header if the
 * progress of one is unknown.
 */
export const oldestDataAsOfHeader = (found: readonly (GenerationProgress | undefined)[]): ResponseHeaders => {
  const known = found.flatMap((progress) => progress ?? []);
  const [oldest] = known.toSorted((one, other) => one.asOfMs - other.asOfMs);
  return known.length === found.length ? dataAsOfHeader(oldest) : {};
};

/**
 * The live generation of each projection: the tables that readers use now. If it is unknown, the value is undefined, and queries read the
 * views of the live tables.
 */
type PinnedGenerations<Name extends string> = Readonly<Record<Name, GenerationProgress | undefined>>;

/**
 * Calls `read` with the live generation of each projection: the set of tables that readers use now. All queries of a request then read the
 * same tables, even if another generation becomes live between two queries.
 *
 * The live generations are cached. If a cached generation was dropped meanwhile, a query fails because its tables are missing. `read` is
 * then called again with generations that are read without the cache. If tables are still missing, `read` is called without generations,
 * and its queries read the views of the live tables.
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
