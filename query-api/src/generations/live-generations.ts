import { instantOf } from '@popsvc/contracts/time';
import { isTableMissing } from '@popsvc/platform/clickhouse';
import type { ResponseHeaders } from '@popsvc/http-kit/server';
import { includesNetwork, type PendingNetworks } from '@popsvc/read-models/tables';

export interface PendingSince extends PendingNetworks {
  /** The rows of the pending networks include everything received up to this time, ms since 1970. */
  readonly asOfMs: number;
}

export interface GenerationProgress {
  readonly generation: number;
  /**
   * Identifies the tables of the generation. `generation` is ambiguous: after a restore of PostgreSQL from a backup, its number may be used
   * again for other tables.
   */
  readonly tablesId: string;
  /** The rows of all events up to this log position can be read, except rows of the networks in `pending` that are still to be derived. */
  readonly position: bigint;
  /** The end of the last batch of events that changed the stored facts, as a log position. */
  readonly changedPosition: bigint;
  /** When the newest event up to `position` was appended, ms since 1970; 0 if `position` is 0. */
  readonly asOfMs: number;
  /** Networks of which some rows are still to be derived, for example because a network exceeds its share of a batch. */
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
   * Whether to reject if the read fails. By default, a failed read resolves with undefined, because most responses do not need the
   * progress.
   */
  readonly isRequired?: boolean;
}

/**
 * Reads the progress of a projection. Resolves with undefined if nothing is projected yet, if its tables are missing or damaged, or if the
 * read fails and is not required.
 */
export type ReadProgress = (projection: string, options?: ProgressOptions) => Promise<GenerationProgress | undefined>;

/**
 * Returns a part of cache keys. It changes with each batch of events that changes the stored facts, and when other tables become live. It
 * does not change when pending rows are derived later.
 */
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
 * Returns the `X-Data-As-Of` header: the time up to which the rows of the networks include everything received. Without `networks`, pending
 * rows do not count. Returns no header if the progress is unknown.
 */
export const dataAsOfHeader = (
  found: GenerationProgress | undefined,
  networks: readonly number[] = [],
): ResponseHeaders => {
  if (!found) return {};
  return { 'X-Data-As-Of': instantOf(dataAsOfMs(found, networks)) };
};

/**
 * Returns the `X-Data-As-Of` header for rows of several shards or projections: the earliest of their times. Pending rows do not count.
 * Returns no header if the progress of one is unknown.
 */
export const oldestDataAsOfHeader = (found: readonly (GenerationProgress | undefined)[]): ResponseHeaders => {
  const known = found.flatMap((progress) => progress ?? []);
  const [oldest] = known.toSorted((one, other) => one.asOfMs - other.asOfMs);
  return known.length === found.length ? dataAsOfHeader(oldest) : {};
};

/** The progress of the live generation (the set of tables that readers use) of each projection; undefined if it is unknown. */
type PinnedGenerations<Name extends string> = Readonly<Record<Name, GenerationProgress | undefined>>;

/**
 * Calls `read` with the live generation of each projection, so that all queries of a request can read the same tables, even if another
 * generation becomes live between two queries.
 *
 * The live generations are cached. If a cached generation was dropped meanwhile, a query fails because its tables are missing. `read` is
 * then called again with generations that are read without the cache. If a table is missing again, `read` is called without generations, so
 * that it reads the views of the live tables.
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
