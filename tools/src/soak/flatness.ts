import { inGroups, median } from '../bench/harness/statistics.ts';
import type { Life, Sample } from './lives.ts';

/** The least squares through points; per unit of x. NaN of fewer than two. */
export const slopeOf = (points: readonly (readonly [x: number, y: number])[]): number => {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  const covariance = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  return covariance / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
};

export interface Course {
  readonly first: number;
  readonly last: number;
  readonly most: number;
  readonly perHour: number;
  readonly isFlat: boolean;
}

export interface Flatness {
  readonly part: string;
  /** Past warm-up. */
  readonly minutes: number;
  readonly bytes: Course;
  readonly handles: Course;
  readonly threads: Course;
}

const [minuteMs, hourMs] = [60_000, 3_600_000];
const mb = 2 ** 20;
/** What a process needs until it has met everything it does; at most a third of its life. */
const warmUpMs = 2 * minuteMs;
/** In each third of what is left. */
const fewest = 3;

/** The last third's median against the first's: so much more is still flat. */
export const allowances = {
  bytes: { times: 1.15, plus: 32 * mb },
  handles: { times: 1.1, plus: 16 },
  threads: { times: 1, plus: 4 },
} as const;

const courseOf = (samples: readonly Sample[], what: keyof typeof allowances): Course => {
  const values = samples.map((sample) => sample[what]);
  const [first = NaN, , last = NaN] = inGroups(values, 3).map(median);
  const { times, plus } = allowances[what];
  return {
    first,
    last,
    most: Math.max(...values),
    perHour: slopeOf(samples.map(({ atMs }, index) => [atMs / hourMs, values[index]!])),
    isFlat: last <= first * times + plus,
  };
};

/** How a life went after its warm-up; undefined where it was too short to say. */
export const flatnessOf = ({ part, samples }: Life): Flatness | undefined => {
  const [began, ended] = [samples[0]?.atMs ?? 0, samples.at(-1)?.atMs ?? 0];
  const from = began + Math.min(warmUpMs, (ended - began) / 3);
  const settled = samples.filter(({ atMs }) => atMs >= from);
  if (settled.length < 3 * fewest) return undefined;
  return {
    part,
    minutes: (ended - from) / minuteMs,
    bytes: courseOf(settled, 'bytes'),
    handles: courseOf(settled, 'handles'),
    threads: courseOf(settled, 'threads'),
  };
};

/** What is not flat, in words. */
export const notFlat = ({ part, ...courses }: Flatness): readonly string[] =>
  (['bytes', 'handles', 'threads'] as const).flatMap((what) => {
    const { first, last, isFlat } = courses[what];
    const unit = what === 'bytes' ? mb : 1;
    return isFlat
      ? []
      : [`${part}: ${what === 'bytes' ? 'MB' : what} from ${(first / unit).toFixed(0)} to ${(last / unit).toFixed(0)}`];
  });
