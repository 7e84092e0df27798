import type { Machine } from './machine.ts';
import type { ScenarioResult } from './print.ts';
import { formatNumber, formatTable } from './table.ts';

/** Ratios of an earlier run on a quiet machine, by scenario, measure and baseline. They outlast the machine; numbers do not. */
export interface StoredRatios {
  readonly machine: Machine;
  readonly ratios: Readonly<Record<string, number>>;
}

const keyed = (runs: readonly ScenarioResult[]) =>
  runs.flatMap(({ scenario, measures }) =>
    measures.map((measure) => [`${scenario} | ${measure.name} | ${measure.baseline}`, measure] as const),
  );

/** What was run takes the place of what there was of it; the rest stays. */
export const mergeRatios = (
  before: StoredRatios | undefined,
  machine: Machine,
  runs: readonly ScenarioResult[],
): StoredRatios => ({
  machine,
  ratios: {
    ...before?.ratios,
    ...Object.fromEntries(keyed(runs).map(([key, { ratio }]) => [key, Number(ratio.toPrecision(4))])),
  },
});

/** Each ratio beside that of the baseline; more than 1 in `times better` is a gain, whichever way the ratio reads. */
export const storedRatiosTable = ({ ratios }: StoredRatios, runs: readonly ScenarioResult[]): string => {
  const rows = keyed(runs).map(([key, { ratio, reading }]) => {
    const was = ratios[key];
    const change = was === undefined ? Number.NaN : reading === 'share' ? ratio / was : was / ratio;
    return [
      ...key.split(' | '),
      was === undefined ? 'new' : formatNumber(was),
      formatNumber(ratio),
      formatNumber(change),
    ];
  });
  return `${formatTable([['scenario', 'measure', 'baseline', 'baseline', 'now', 'times better'], ...rows])}\n`;
};
