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

/** Number of events in the log and of rows in the report. */
export interface DataSizes {
  readonly events: number;
  readonly rows: number;
}

/**
 * Ratios of an earlier run on an idle machine, by scenario, measure and baseline. Unlike times, ratios are comparable between machines.
 */
export interface StoredRatios {
  readonly machine: Machine;
  /** The sizes that each scenario was measured with. Ratios of different sizes are not comparable. */
  readonly sizes: Readonly<Record<string, DataSizes>>;
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
  { events, rows }: DataSizes,
): StoredRatios => ({
  machine,
  sizes: { ...stored?.sizes, ...Object.fromEntries(runs.map(({ scenario }) => [scenario, { events, rows }])) },
  ratios: {
    ...stored?.ratios,
    ...Object.fromEntries(measuresByKey(runs).map(([key, { ratio }]) => [key, Number(ratio.toPrecision(4))])),
  },
});

/**
 * Formats each ratio next to the stored one. The column `times better` shows the improvement: a value above 1 means that this run
 * is better, regardless of whether high or low ratios are good. If the stored ratio was measured with other sizes, the column shows
 * those sizes instead.
 */
export const storedRatiosTable = (
  { sizes, ratios }: StoredRatios,
  runs: readonly ScenarioRun[],
  { events, rows }: DataSizes,
): string => {
  const otherSizesOf = (scenario: string): string | undefined => {
    const stored = sizes[scenario];
    if (!stored || (stored.events === events && stored.rows === rows)) return undefined;
    return `stored with --n ${stored.events} --rows ${stored.rows}`;
  };
  const lines = measuresByKey(runs).map(([key, { ratio, reading }]) => {
    const before = ratios[key];
    const change = before === undefined ? Number.NaN : reading === 'share' ? ratio / before : before / ratio;
    const [scenario = '', ...others] = key.split(' | ');
    return [
      scenario,
      ...others,
      before === undefined ? 'new' : formatNumber(before),
      formatNumber(ratio),
      otherSizesOf(scenario) ?? formatNumber(change),
    ];
  });
  return `${formatTable([['scenario', 'measure', 'baseline', 'stored', 'this run', 'times better'], ...lines])}\n`;
};
