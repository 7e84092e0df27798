import { parseArgs } from 'node:util';

export interface SoakWish {
  readonly minutes: number;
  readonly seed: number;
  /** Plays a second. */
  readonly rate: number;
}

const number = (name: string, text: string, least: number): number => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least)) throw new Error(`--${name} takes a number from ${least} on.`);
  return value;
};

/** Throws what is wrong with what was asked for. */
export const soakWish = (args: readonly string[]): SoakWish => {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  const options = { minutes: text('10'), seed: text('1'), rate: text('100') };
  const { values } = parseArgs({ args: [...args], options });
  return {
    minutes: number('minutes', values.minutes, 1),
    seed: number('seed', values.seed, 0),
    rate: number('rate', values.rate, 1),
  };
};
