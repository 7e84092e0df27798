import type { Sizes } from './scenario.ts';

export const sizeOptions = {
  pairs: { type: 'string', default: '20' },
  n: { type: 'string', default: '50000' },
  rows: { type: 'string', default: '300000' },
  probes: { type: 'string', default: '100' },
} as const;

const whole = (name: string, text: string, least: number): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`--${name} must be a whole number from ${least} on`);
  return value;
};

/** The command line's sizes; throws an error that names the wrong one. */
export const parseSizes = (given: Readonly<Record<keyof typeof sizeOptions, string>>): Sizes => ({
  pairs: whole('pairs', given.pairs, 2),
  events: whole('n', given.n, 1_000),
  rows: whole('rows', given.rows, 10_000),
  probes: whole('probes', given.probes, 4),
});
