import { hash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Chance that can be told again: the same seed and labels give the same throws. */
export interface Chance {
  /** From 0 up to, not including, 1. */
  real(): number;
  /** A whole number; both ends belong to it. */
  int(from: number, to: number): number;
  /** Whether something of this likelihood happens. */
  happens(likelihood: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** By weight; weights need not sum to 1. */
  weighted<T>(list: readonly (readonly [T, number])[]): T;
  /** Around 0, mostly between -2 and 2. */
  normal(): number;
  shuffled<T>(list: readonly T[]): T[];
}

/** Each thing has chance of its own, so that another device or day changes nothing of it. */
export const chanceOf = (seed: number, ...labels: readonly (string | number)[]): Chance => {
  const rng = xoroshiro128plus(Buffer.from(hash('sha256', [seed, ...labels].join('/')), 'hex').readInt32LE());
  const real = () => uniformFloat64(rng);
  const int = (from: number, to: number) => uniformInt(rng, from, to);
  return {
    real,
    int,
    happens: (likelihood) => real() < likelihood,
    pick: (list) => list[int(0, list.length - 1)]!,
    weighted(list) {
      let left = real() * list.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [thing, weight] of list) if ((left -= weight) < 0) return thing;
      return list.at(-1)![0];
    },
    normal: () => Math.sqrt(-2 * Math.log(1 - real())) * Math.cos(2 * Math.PI * real()),
    shuffled(list) {
      const cards = [...list];
      for (let at = cards.length - 1; at > 0; at--) {
        const other = int(0, at);
        [cards[at], cards[other]] = [cards[other]!, cards[at]!];
      }
      return cards;
    },
  };
};
