import { splitIntoGroups, median } from '../rig/statistics.ts';
import type { ProcessRun, Sample } from './processes.ts';

/** Slope of the least squares line through points; NaN for fewer than two. */
export const slope = (points: readonly (readonly [x: number, y: number])[]): number => {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  const covariance = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  return covariance / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
};

/**
 * Change in a process's use of one resource, excluding the warm-up. `first` and `last` are the medians of the first and the last
 * third of the time after the warm-up.
 */
export interface Trend {
  readonly first: number;
  readonly last: number;
  readonly max: number;
  readonly perHour: number;
  readonly isFlat: boolean;
}

export interface Flatness {
  readonly part: string;
  /** Duration of the run without the warm-up. */
  readonly minutes: number;
  readonly bytes: Trend;
  readonly handles: Trend;
  readonly threads: Trend;
}

const [minuteMs, hourMs] = [60_000, 3_600_000];
const mb = 2 ** 20;
/**
 * Duration of the warm-up. During this time, a process does each kind of work at least once. The warm-up takes at most the first
 * third of a run.
 */
const warmUpMs = 2 * minuteMs;
/** Minimum number of samples in each third of the time after the warm-up. */
const minSamples = 3;

/** Allowed growth: the median of the last third may be at most `times` that of the first third, plus the constant `plus`. */
export const allowances = {
  bytes: { times: 1.15, plus: 32 * mb },
  handles: { times: 1.1, plus: 16 },
  threads: { times: 1, plus: 4 },
} as const;

const measureTrend = (samples: readonly Sample[], what: keyof typeof allowances): Trend => {
  const values = samples.map((sample) => sample[what]);
  const [first = NaN, , last = NaN] = splitIntoGroups(values, 3).map(median);
  const { times, plus } = allowances[what];
  return {
    first,
    last,
    max: Math.max(...values),
    perHour: slope(samples.map(({ atMs }, index) => [atMs / hourMs, values[index]!])),
    isFlat: last <= first * times + plus,
  };
};

/** Evaluates the resource use of a process in one run, excluding the warm-up. Returns undefined if the run is too short. */
export const measureFlatness = ({ part, samples }: ProcessRun): Flatness | undefined => {
  const [began, ended] = [samples[0]?.atMs ?? 0, samples.at(-1)?.atMs ?? 0];
  const from = began + Math.min(warmUpMs, (ended - began) / 3);
  const settled = samples.filter(({ atMs }) => atMs >= from);
  if (settled.length < 3 * minSamples) return undefined;
  return {
    part,
    minutes: (ended - from) / minuteMs,
    bytes: measureTrend(settled, 'bytes'),
    handles: measureTrend(settled, 'handles'),
    threads: measureTrend(settled, 'threads'),
  };
};

/** Describes the resources that grew more than allowed. */
export const describeGrowth = ({ part, ...trends }: Flatness): readonly string[] =>
  (['bytes', 'handles', 'threads'] as const).flatMap((what) => {
    const { first, last, isFlat } = trends[what];
    const unit = what === 'bytes' ? mb : 1;
    return isFlat
      ? []
      : [`${part}: ${what === 'bytes' ? 'MB' : what} from ${(first / unit).toFixed(0)} to ${(last / unit).toFixed(0)}`];
  });
