import type { Block } from './alternate.ts';
import type { Slice } from './slice.ts';
import { inGroups, median, quantile } from './statistics.ts';

/** `share`: which part of the floor's speed the system reaches. `times`: how many times the floor's it takes. */
export type Reading = 'share' | 'times';

export interface Asked {
  readonly name: string;
  readonly unit: string;
  readonly floor: string;
  readonly system: string;
  readonly reading: Reading;
  /** The cost in a slice: less is better. */
  readonly of: (slice: Slice) => number;
}

export interface Measure extends Omit<Asked, 'of' | 'system'> {
  /** Medians of all slices. */
  readonly floorValue: number;
  readonly systemValue: number;
  /** Median of the ratios of pairs. */
  readonly ratio: number;
  /** Half of the ratios lie between these two. */
  readonly quartiles: readonly [number, number];
  /** Medians of four stretches of the run. */
  readonly groups: readonly number[];
  /** Median ratio of equal slices, floor against floor; undefined where the floor is no measurement. */
  readonly sameAgainstSame: number | undefined;
}

const noiseLimits = [0.9, 1.1] as const;

/** Where the floor differs from itself, nothing can be said of what is held against it. */
export const isConclusive = ({ sameAgainstSame }: Pick<Measure, 'sameAgainstSame'>): boolean =>
  sameAgainstSame === undefined || (sameAgainstSame >= noiseLimits[0] && sameAgainstSame <= noiseLimits[1]);

/** One measure of the system against one floor, from the pairs of neighbouring slices. */
export const compare = (blocks: readonly Block[], { of, system, ...asked }: Asked): Measure => {
  const costs = (side: string) => blocks.map((block) => [of(block[side]![0]), of(block[side]![1])] as const);
  const [floorCosts, systemCosts] = [costs(asked.floor), costs(system)];
  const ratio = (floor: number, mine: number) => (asked.reading === 'share' ? floor / mine : mine / floor);
  const ratios = floorCosts.flatMap(([there, back], index) => {
    const [mineThere, mineBack] = systemCosts[index]!;
    return [ratio(there, mineThere), ratio(back, mineBack)];
  });
  return {
    ...asked,
    floorValue: median(floorCosts.flat()),
    systemValue: median(systemCosts.flat()),
    ...summary(ratios),
    sameAgainstSame: median(floorCosts.map(([there, back]) => ratio(there, back))),
  };
};

/** Ratios in the order in which they were measured. */
export const summary = (ratios: readonly number[]): Pick<Measure, 'ratio' | 'quartiles' | 'groups'> => ({
  ratio: median(ratios),
  quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  groups: inGroups(ratios, 4).map(median),
});
