import { hash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A reproducible sequence of random values: the same seed and labels give the same values. */
export interface Random {
  /** Returns a number from 0 up to but not including 1. */
  readonly fraction: () => number;
  /** Returns a whole number from `from` to `to`, both included. */
  readonly integer: (from: number, to: number) => number;
  /** Returns a whole number from 0 to `limit - 1`. */
  readonly below: (limit: number) => number;
  /** Returns true with this probability. */
  readonly happens: (probability: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** Picks an item with a probability proportional to its weight; the weights need not sum to 1. */
  readonly pickWeighted: <T>(list: readonly (readonly [T, number])[]) => T;
  /** Returns a normally distributed number with mean 0 and standard deviation 1. */
  readonly normal: () => number;
  /** Returns a shuffled copy. */
  readonly shuffle: <T>(list: readonly T[]) => T[];
}

/** Creates a random sequence. Different labels give independent sequences for the same seed, for example one per device and hour. */
export const createRandom = (seed: number, ...labels: readonly (string | number)[]): Random => {
  const generator = xoroshiro128plus(Buffer.from(hash('sha256', [seed, ...labels].join('/')), 'hex').readInt32LE());
  const fraction = () => uniformFloat64(generator);
  const integer = (from: number, to: number) => uniformInt(generator, from, to);
  return {
    fraction,
    integer,
    below: (limit) => integer(0, limit - 1),
    happens: (probability) => fraction() < probability,
    pick: (list) => list[integer(0, list.length - 1)]!,
    pickWeighted(list) {
      let left = fraction() * list.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [item, weight] of list) if ((left -= weight) < 0) return item;
      return list.at(-1)![0];
    },
    // Box-Muller transform.
    normal: () => Math.sqrt(-2 * Math.log(1 - fraction())) * Math.cos(2 * Math.PI * fraction()),
    // Fisher-Yates shuffle.
    shuffle(list) {
      const items = [...list];
      for (let at = items.length - 1; at > 0; at--) {
        const other = integer(0, at);
        [items[at], items[other]] = [items[other]!, items[at]!];
      }
      return items;
    },
  };
};
