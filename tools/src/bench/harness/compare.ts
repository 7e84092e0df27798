import type { Block } from './alternate.ts';
import type { Slice } from './slice.ts';
import { splitIntoGroups, median, quantile } from '../../rig/statistics.ts';

/** `share`: which part of the baseline's speed the system reaches. `times`: how many times the baseline's it takes. */
export type Reading = 'share' | 'times';

export interface Comparison {
  readonly name: string;
  readonly unit: string;
  readonly baseline: string;
  readonly system: string;
  readonly reading: Reading;
  /** The cost in a slice: less is better. */
  readonly of: (slice: Slice) => number;
}

export interface Measure extends Omit<Comparison, 'of' | 'system'> {
  /** Medians of all slices. */
  readonly baselineValue: number;
  readonly systemValue: number;
  /** Median of the ratios of pairs. */
  readonly ratio: number;
  /** Half of the ratios lie between these two. */
  readonly quartiles: readonly [number, number];
  /** Medians of four stretches of the run. */
  readonly groups: readonly number[];
  /** Median ratio of equal slices, baseline against baseline; undefined where the baseline is no measurement. */
  readonly sameAgainstSame: number | undefined;
}

const noiseLimits = [0.9, 1.1] as const;

/** Where the baseline differs from itself, nothing can be said of what is held against it. */
export const isConclusive = ({ sameAgainstSame }: Pick<Measure, 'sameAgainstSame'>): boolean =>
  sameAgainstSame === undefined || (sameAgainstSame >= noiseLimits[0] && sameAgainstSame <= noiseLimits[1]);

/** One measure of the system against one baseline, from the pairs of neighbouring slices. */
export const compare = (blocks: readonly Block[], { of, system, ...asked }: Comparison): Measure => {
  const costs = (side: string) => blocks.map((block) => [of(block[side]![0]), of(block[side]![1])] as const);
  const [baselineCosts, systemCosts] = [costs(asked.baseline), costs(system)];
  const ratio = (baseline: number, mine: number) => (asked.reading === 'share' ? baseline / mine : mine / baseline);
  const ratios = baselineCosts.flatMap(([there, back], index) => {
    const [mineThere, mineBack] = systemCosts[index]!;
    return [ratio(there, mineThere), ratio(back, mineBack)];
  });
  return {
    ...asked,
    baselineValue: median(baselineCosts.flat()),
    systemValue: median(systemCosts.flat()),
    ...summarizeRatios(ratios),
    sameAgainstSame: median(baselineCosts.map(([there, back]) => ratio(there, back))),
  };
};

/** Ratios in the order in which they were measured. */
export const summarizeRatios = (ratios: readonly number[]): Pick<Measure, 'ratio' | 'quartiles' | 'groups'> => ({
  ratio: median(ratios),
  quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  groups: splitIntoGroups(ratios, 4).map(median),
});
