import { instantOf } from '@popsvc/contracts/time';
import { isTableMissing } from '@popsvc/platform/clickhouse';
import type { ResponseHeaders } from '@popsvc/http-kit/server';
import { includesNetwork, type PendingNetworks } from '@popsvc/read-models/tables';

export interface PendingSince extends PendingNetworks {
  /** Everything received up to then is derived, ms since 1970. */
  readonly asOfMs: number;
}

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

/** Reads the progress of a projection. Resolves with undefined if nothing is projected yet, or if its tables are missing or damaged. */
export type ReadProgress = (projection: string, options?: ProgressOptions) => Promise<GenerationProgress | undefined>;

/** Identifies the facts of a generation: it differs after they changed. */
export const factsIdOf = ({
  tablesId,
  generation,
  changedPosition,
}: Pick<GenerationProgress, 'tablesId' | 'generation' | 'changedPosition'>): string =>
  `${tablesId} ${generation} ${changedPosition}`;

/** Returns the time up to which everything received of the networks is included, ms since 1970. */
export const dataAsOfMs = (progress: GenerationProgress, networks: readonly number[]): number =>
  Math.min(progress.asOfMs, ...networks.map((network) => findPendingAsOfMs(progress, network) ?? progress.asOfMs));

/**
 * Returns the `X-Data-As-Of` header. The response includes all data of the networks that was received up to the time in this
 * header. Returns no header if the progress is unknown.
 */
export const dataAsOfHeader = (
  found: GenerationProgress | undefined,
  networks: readonly number[] = [],
): ResponseHeaders => {
  if (!found) return {};
  return { 'X-Data-As-Of': instantOf(dataAsOfMs(found, networks)) };
};

/**
 * Returns the `X-Data-As-Of` header of rows that were read from several shards or projections; no header if the progress of one is
 * unknown.
 */
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
