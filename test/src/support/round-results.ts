import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Rounds of a long form, both numbers included. The first round is 1. */
export interface RoundRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the rounds to run: `A..B` or `N` (rounds 1 to N) of `npm run test:long -- NAME --rounds A..B`, otherwise 1 to `short`, or 1
 * to `long` in the long form.
 */
export const chooseRoundRange = (short: number, long: number): RoundRange => {
  const given = /^(?:(\d+)\.\.)?(\d+)$/.exec(process.env['POPSVC_ROUNDS'] ?? '');
  if (given) return { first: Number(given[1] ?? 1), last: Number(given[2]) };
  return { first: 1, last: process.env['POPSVC_LONG'] === '1' ? long : short };
};

/** The seed of `--seed`, otherwise the given one. */
export const chooseSeed = (seed: number): number => Number(process.env['POPSVC_SEED'] ?? seed);

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
