import { isTableMissing } from '@popsvc/platform/clickhouse';
import type { Progress, ProgressOf } from './progress.ts';

/** By projection; undefined where nothing is known of one: then it is read as readers see it at the moment. */
export type Pins<Name extends string> = Readonly<Record<Name, Progress | undefined>>;

/**
 * Has all queries of a request read the tables of one generation of each projection: which one is live may change between two
 * of them. Tables that are gone by then are those of a generation that was dropped meanwhile; then it is asked again.
 */
export type Pinned = <const Name extends string, T>(
  projections: readonly Name[],
  read: (pins: Pins<Name>) => Promise<T>,
) => Promise<T>;

export const pinned = (progressOf: ProgressOf): Pinned => {
  const nothing: ProgressOf = () => Promise.resolve(undefined);
  const anew: ProgressOf = (projection) => progressOf(projection, { isAnew: true });
  return async <Name extends string, T>(projections: readonly Name[], read: (pins: Pins<Name>) => Promise<T>) => {
    const by = async (ask: ProgressOf): Promise<T> => {
      const found = await Promise.all(projections.map(async (name) => [name, await ask(name)] as const));
      return read(Object.fromEntries(found) as Pins<Name>);
    };
    const unlessGone = (first: ProgressOf, next: () => Promise<T>) =>
      by(first).catch((error: unknown) => {
        if (!isTableMissing(error)) throw error;
        return next();
      });
    return unlessGone(progressOf, () => unlessGone(anew, () => by(nothing)));
  };
};
