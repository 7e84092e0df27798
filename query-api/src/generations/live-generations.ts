import { instantOf } from '@popsvc/contracts/time';
import { isTableMissing } from '@popsvc/platform/clickhouse';
import type { ResponseHeaders } from '@popsvc/http-kit/server';
import { includesNetwork, type PendingNetworks } from '@popsvc/read-models/tables';

export interface PendingSince extends PendingNetworks {
  /** The rows of these networks include everything received up to this time, in ms since 1970. */
  readonly asOfMs: number;
}

export interface GenerationProgress {
  readonly generation: number;
  /** Identifies the tables. After a restore of PostgreSQL from a backup, other tables may have the same `generation`. */
  readonly tablesId: string;
  /** Rows of all events up to this log position can be read, except those that `pending` names. */
  readonly position: bigint;
  /** Log position of the last batch that changed the stored facts. */
  readonly changedPosition: bigint;
  /** When the newest event up to `position` was appended, ms since 1970; 0 if `position` is 0. */
  readonly asOfMs: number;
  /** Networks of which some rows are still to be derived. */
  readonly pending: readonly PendingSince[];
}

/** Ms since 1970; undefined if no rows of the network are pending. */
export const findPendingAsOfMs = (
  { pending }: Pick<GenerationProgress, 'pending'>,
  wanted: number,
): number | undefined => {
  const times = pending.filter((each) => includesNetwork(each, wanted)).map(({ asOfMs }) => asOfMs);
  return times.length > 0 ? Math.min(...times) : undefined;
};

interface ProgressOptions {
  readonly isUncached?: boolean;
  /** By default, a failed read resolves with undefined, because most responses do not need the progress. */
  readonly isRequired?: boolean;
}

/** Resolves with undefined before the first batch, if tables are missing or damaged, or if a read fails that is not required. */
export type ReadProgress = (projection: string, options?: ProgressOptions) => Promise<GenerationProgress | undefined>;

/**
 * Part of cache keys. Changes with each batch that changes the stored facts, and with other tables, but not when pending rows are derived.
 */
export const factsIdOf = ({
  tablesId,
  generation,
  changedPosition,
}: Pick<GenerationProgress, 'tablesId' | 'generation' | 'changedPosition'>): string =>
  `${tablesId} ${generation} ${changedPosition}`;

/** Time up to which the rows of the networks include everything received, in ms since 1970. */
export const dataAsOfMs = (progress: GenerationProgress, networks: readonly number[]): number =>
  Math.min(progress.asOfMs, ...networks.map((network) => findPendingAsOfMs(progress, network) ?? progress.asOfMs));

/** Without `networks`, pending rows do not count. Returns no header if the progress is unknown. */
export const dataAsOfHeader = (
  found: GenerationProgress | undefined,
  networks: readonly number[] = [],
): ResponseHeaders => {
  if (!found) return {};
  return { 'X-Data-As-Of': instantOf(dataAsOfMs(found, networks)) };
};

/** The earliest time of several shards or projections, without regard to pending rows. Returns no header if one progress is unknown. */
export const oldestDataAsOfHeader = (found: readonly (GenerationProgress | undefined)[]): ResponseHeaders => {
  const known = found.flatMap((progress) => progress ?? []);
  const [oldest] = known.toSorted((one, other) => one.asOfMs - other.asOfMs);
  return known.length === found.length ? dataAsOfHeader(oldest) : {};
};

type PinnedGenerations<Name extends string> = Readonly<Record<Name, GenerationProgress | undefined>>;

/**
 * Calls `read` with the live generations, so that all queries of a request read the same tables. Calls it again if tables are missing: with
 * uncached generations, then with none, for which queries read the live views.
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
