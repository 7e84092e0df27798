import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';
import { formatNumber, formatTable, type ScenarioRun } from './report.ts';

/** Describes the machine of a run, without host and user names. */
export const describeMachine = () => ({
  system: `${type()} ${release()} ${arch()}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
  /** Load average of the last minute. A value above the number of cores means that other programs were active. */
  load: loadavg()[0],
});
export type Machine = ReturnType<typeof describeMachine>;

/**
 * Ratios of an earlier run on an idle machine, by scenario, measure and baseline. Unlike times, ratios are comparable between machines.
 */
export interface StoredRatios {
  readonly machine: Machine;
  readonly ratios: Readonly<Record<string, number>>;
}

const measuresByKey = (runs: readonly ScenarioRun[]) =>
  runs.flatMap(({ scenario, measures }) =>
    measures.map((measure) => [`${scenario} | ${measure.name} | ${measure.baseline}`, measure] as const),
  );

/** Replaces the stored ratios of the measures in `runs` and keeps the ratios of all other measures. */
export const updateRatios = (
  stored: StoredRatios | undefined,
  machine: Machine,
  runs: readonly ScenarioRun[],
): StoredRatios => ({
  machine,
  ratios: {
    ...stored?.ratios,
    ...Object.fromEntries(measuresByKey(runs).map(([key, { ratio }]) => [key, Number(ratio.toPrecision(4))])),
  },
});

/**
 * Formats each ratio next to the stored one. The column `times better` shows the improvement: a value above 1 means that this run
 * is better, regardless of whether high or low ratios are good.
 */
export const storedRatiosTable = ({ ratios }: StoredRatios, runs: readonly ScenarioRun[]): string => {
  const rows = measuresByKey(runs).map(([key, { ratio, reading }]) => {
    const before = ratios[key];
    const change = before === undefined ? Number.NaN : reading === 'share' ? ratio / before : before / ratio;
    return [
      ...key.split(' | '),
      before === undefined ? 'new' : formatNumber(before),
      formatNumber(ratio),
      formatNumber(change),
    ];
  });
  return `${formatTable([['scenario', 'measure', 'baseline', 'stored', 'this run', 'times better'], ...rows])}\n`;
};
