import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Rounds of a long form, both numbers included. The first round is 1. */
export interface RoundRange {
  readonly first: number;
  readonly last: number;
}

const readRange = (text: string): RoundRange => {
  const [, first = '1', last] = /^(?:(\d+)\.\.)?(\d+)$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (range.first >= 1 && range.last >= range.first) return range;
  throw new Error(`--rounds takes a number N, or a range A..B from 1 on, not ${text}`);
};

/**
 * Returns the rounds to run: `A..B` or `N` (rounds 1 to N) of `npm run test:long -- NAME --rounds A..B`, otherwise 1 to `short`, or 1
 * to `long` in the long form.
 */
export const chooseRoundRange = (short: number, long: number): RoundRange => {
  const given = process.env['POPSVC_ROUNDS'];
  if (given !== undefined) return readRange(given);
  return { first: 1, last: process.env['POPSVC_LONG'] === '1' ? long : short };
};

/**
 * Returns the number of rounds to run, for specs whose rounds build on each other. Of a range, only its length counts: run each
 * further range with another seed.
 */
export const chooseRounds = (short: number, long: number): number => {
  const { first, last } = chooseRoundRange(short, long);
  return last - first + 1;
};

/** The seed of `--seed`, otherwise the given one. */
export const chooseSeed = (seed: number): number => {
  const given = process.env['POPSVC_SEED'];
  if (given !== undefined && !/^\d+$/.test(given)) throw new Error(`--seed takes a number, not ${given}`);
  return Number(given ?? seed);
};

/**
 * Returns a function that returns random numbers from 0 up to but not including 1. The sequence of a seed must not change, because
 * docs/faults.md names the seeds of its results.
 */
export const createFractions = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

export interface RoundResults<Result> {
  /** The results of earlier runs with the same name and seed, and of this run. */
  readonly all: readonly Result[];
  has(round: number): boolean;
  add(result: Result): void;
}

/**
 * Opens the result file of a long form, `test-results/NAME-SEED.ndjson`, with one line per round. A run that was interrupted continues
 * after the rounds in the file. Short forms keep their results in memory.
 */
export const openRoundResults = <Result extends { readonly round: number }>(
  name: string,
  seed: number,
): RoundResults<Result> => {
  const isLong = process.env['POPSVC_LONG'] === '1';
  const path = join(import.meta.dirname, '../../../test-results', `${name}-${seed}.ndjson`);
  const all: Result[] =
    isLong && existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Result)
      : [];
  return {
    all,
    has: (round) => all.some((result) => result.round === round),
    add(result) {
      all.push(result);
      if (!isLong) return;
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, `${JSON.stringify(result)}\n`);
    },
  };
};
