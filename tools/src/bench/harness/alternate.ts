import { mergeSlices, type Side, type Slice } from './slice.ts';
import { splitIntoGroups } from '../../rig/statistics.ts';

/** The two slices of each side in one turn there and back, by the side's name. */
export type Block = Readonly<Record<string, readonly [Slice, Slice]>>;

export interface Alternation {
  /** From the outside in: the last one is in the middle, where a block turns. Two sides make ABBA. */
  readonly sides: readonly Side[];
  /** A block has two pairs of any two sides. */
  readonly pairs: number;
  /** For each side before the first block, in the opposite order; at least one slice. */
  readonly warmUpMs?: number;
}

const warmUp = async (side: Side, forMs: number): Promise<void> => {
  const until = performance.now() + forMs;
  do await side.slice();
  while (performance.now() < until);
};

/**
 * Floors and system in turns, there and back again, so that whatever changes on the machine meanwhile meets all of them. The
 * way back gives each side a second slice: a baseline's two, held against each other, tell how far equal work differs here and
 * now.
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

/** Few long blocks of many short ones: for what a short slice is too short to tell, such as a 95th percentile. */
export const mergeBlocks = (blocks: readonly Block[], count: number): readonly Block[] =>
  splitIntoGroups(blocks, count).map((group) =>
    Object.fromEntries(
      Object.keys(group[0] ?? {}).map((name) => {
        const half = (which: 0 | 1) => mergeSlices(group.map((block) => block[name]![which]));
        return [name, [half(0), half(1)]] as const;
      }),
    ),
  );
