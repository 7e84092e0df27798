import type { Machine } from './machine.ts';
import type { Ran } from './print.ts';
import { short, table } from './table.ts';

/** Ratios of an earlier run on a quiet machine, by scenario, measure and floor. They outlast the machine; numbers do not. */
export interface Baseline {
  readonly machine: Machine;
  readonly ratios: Readonly<Record<string, number>>;
}

const keyed = (runs: readonly Ran[]) =>
  runs.flatMap(({ scenario, measures }) =>
    measures.map((measure) => [`${scenario} | ${measure.name} | ${measure.floor}`, measure] as const),
  );

/** What was run takes the place of what there was of it; the rest stays. */
export const withRuns = (before: Baseline | undefined, machine: Machine, runs: readonly Ran[]): Baseline => ({
  machine,
  ratios: {
    ...before?.ratios,
    ...Object.fromEntries(keyed(runs).map(([key, { ratio }]) => [key, Number(ratio.toPrecision(4))])),
  },
});

/** Each ratio beside that of the baseline; more than 1 in `times better` is a gain, whichever way the ratio reads. */
export const baselineTable = ({ ratios }: Baseline, runs: readonly Ran[]): string => {
  const rows = keyed(runs).map(([key, { ratio, reading }]) => {
    const was = ratios[key];
    const change = was === undefined ? Number.NaN : reading === 'share' ? ratio / was : was / ratio;
    return [...key.split(' | '), was === undefined ? 'new' : short(was), short(ratio), short(change)];
  });
  return `${table([['scenario', 'measure', 'floor', 'baseline', 'now', 'times better'], ...rows])}\n`;
};
