/** Small and good enough to place faults; Math.random would not come again. */
export interface Chance {
  /** From 0 to 1. */
  readonly next: () => number;
  /** A whole number from 0 to one below `most`. */
  readonly below: (most: number) => number;
  readonly one: <T>(of: readonly T[]) => T;
}

export const chance = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return { next, below, one: (of) => of[below(of.length)]! };
};

/** Of a sorted list, or one that is not. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
