import { mergeSlices, type Side, type Slice } from './slices.ts';
import { median, quantile, splitIntoGroups } from '../../rig/statistics.ts';

/**
 * One round of measurements. Every side (a baseline or the system) runs twice: once in the given order and once in reverse order.
 * Each run yields a slice. Maps each side's name to its two slices.
 */
export type Block = Readonly<Record<string, readonly [Slice, Slice]>>;

interface Alternation {
  /** The sides to measure. Each block runs them in this order and then in reverse: A, B, B, A for two sides. */
  readonly sides: readonly Side[];
  /**
   * Number of slice pairs to compare. A pair is one slice from each of two sides. For any two sides, each block yields two pairs:
   * one in the given order, one in reverse.
   */
  readonly pairs: number;
  /** How long each side warms up before the first block, ms. Even with 0, each side runs one slice to warm up. */
  readonly warmUpMs?: number;
}

const warmUp = async (side: Side, forMs: number): Promise<void> => {
  const untilMs = performance.now() + forMs;
  do await side.slice();
  while (performance.now() < untilMs);
};

/**
 * Runs the sides alternately, first in the given order and then in reverse. A change in the machine's speed therefore affects all
 * sides equally. The difference between a baseline's two slices shows how much the cost of the same work varies on this machine.
 */
export const alternate = async ({ sides, pairs, warmUpMs = 0 }: Alternation): Promise<readonly Block[]> => {
  for (const side of sides.toReversed()) await warmUp(side, warmUpMs);
  const blocks: Block[] = [];
  while (blocks.length * 2 < pairs) {
    const first = new Map<string, Slice>();
    const block: Record<string, readonly [Slice, Slice]> = {};
    for (const side of sides) first.set(side.name, await side.slice());
    for (const side of sides.toReversed()) block[side.name] = [first.get(side.name)!, await side.slice()];
    blocks.push(block);
  }
  return blocks;
};

/**
 * Merges many short blocks into `count` long ones, for statistics that need more samples than a short slice has, such as a 95th
 * percentile.
 */
export const mergeIntoGroups = (blocks: readonly Block[], count: number): readonly Block[] =>
  splitIntoGroups(blocks, count).map((group) =>
    Object.fromEntries(
      Object.keys(group[0] ?? {}).map((name) => {
        const half = (which: 0 | 1) => mergeSlices(group.map((block) => block[name]![which]));
        return [name, [half(0), half(1)]] as const;
      }),
    ),
  );

/**
 * `share`: the ratio is the system's speed as a share of the baseline's. `times`: the ratio is the system's cost as a multiple of the
 * baseline's.
 */
export type Reading = 'share' | 'times';

export interface Comparison {
  readonly name: string;
  readonly unit: string;
  /** Name of the side used as the baseline. */
  readonly baseline: string;
  /** Name of the side to compare with the baseline. */
  readonly system: string;
  readonly reading: Reading;
  /** Returns the cost of a slice; lower is better. */
  readonly cost: (slice: Slice) => number;
}

export interface Measure extends Omit<Comparison, 'cost' | 'system'> {
  /** Median cost of the baseline's slices. */
  readonly baselineValue: number;
  /** Median cost of the system's slices. */
  readonly systemValue: number;
  /** Median ratio over all slice pairs. */
  readonly ratio: number;
  /** First and third quartile of the ratios. */
  readonly quartiles: readonly [number, number];
  /** Median ratio in each of four consecutive parts of the run. */
  readonly groups: readonly number[];
  /**
   * Median, over all blocks, of the ratio between the baseline's two slices. Undefined if the baseline is a configured value
   * instead of a measurement.
   */
  readonly selfRatio: number | undefined;
}

const selfRatioLimits = [0.9, 1.1] as const;

/**
 * Returns false if the two slices of the baseline differ by more than 10 %, which means that the machine was too noisy for a
 * verdict.
 */
export const isConclusive = ({ selfRatio }: Pick<Measure, 'selfRatio'>): boolean =>
  selfRatio === undefined || (selfRatio >= selfRatioLimits[0] && selfRatio <= selfRatioLimits[1]);

/** Summarizes ratios. They must be in the order of measurement, because `groups` are consecutive parts of the run. */
export const summarizeRatios = (ratios: readonly number[]): Pick<Measure, 'ratio' | 'quartiles' | 'groups'> => ({
  ratio: median(ratios),
  quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  groups: splitIntoGroups(ratios, 4).map(median),
});

/**
 * Compares the system with one baseline. Each ratio compares a slice of the system with the baseline's slice from the same pass
 * (in order or in reverse) of the same block.
 */
export const compare = (blocks: readonly Block[], { cost, system, ...comparison }: Comparison): Measure => {
  const costsOf = (side: string) => blocks.map((block) => [cost(block[side]![0]), cost(block[side]![1])] as const);
  const baselineCosts = costsOf(comparison.baseline);
  const systemCosts = costsOf(system);
  const ratioOf = (baselineCost: number, systemCost: number) =>
    comparison.reading === 'share' ? baselineCost / systemCost : systemCost / baselineCost;
  const ratios = baselineCosts.flatMap(([there, back], index) => {
    const [systemThere, systemBack] = systemCosts[index]!;
    return [ratioOf(there, systemThere), ratioOf(back, systemBack)];
  });
  return {
    ...comparison,
    baselineValue: median(baselineCosts.flat()),
    systemValue: median(systemCosts.flat()),
    ...summarizeRatios(ratios),
    selfRatio: median(baselineCosts.map(([there, back]) => ratioOf(there, back))),
  };
};
