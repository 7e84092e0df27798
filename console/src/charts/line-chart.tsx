import { formatDuration, formatShort } from '../format/numbers.ts';
import { formatDay, formatTimeOfDay, formatWeekdayAndTime } from '../format/time.tsx';
import type { SiteZone } from '../format/time-zone.ts';
import { useCursor } from './cursor.ts';

/** Upper ends of a scale, in seconds. Half of each is also a round duration, because the scale labels it. */
const durationMaxima = [
  ...[1, 2, 4, 10, 20, 60].map((minutes) => minutes * 60),
  ...[2, 4, 12, 24, 48, 96, 240, 480].map((hours) => hours * 3_600),
];

const scaleMaximum = (value: number, isDuration: boolean): number => {
  const duration = isDuration && value > 20 ? durationMaxima.find((maximum) => maximum >= value) : undefined;
  if (duration !== undefined) return duration;
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 4, 5, 10] as const).find((step) => step * power >= value) ?? 10) * power;
};

type Point = readonly [x: number, y: number];

/** x is from 0 to `values.length - 1`, y from 0 to 100. */
const segmentsOf = (values: readonly (number | null)[], maximum: number): readonly (readonly Point[])[] => {
  const segments: Point[][] = [];
  let segment: Point[] = [];
  values.forEach((value, x) => {
    if (value === null) segment = [];
    else {
      if (segment.length === 0) segments.push(segment);
      segment.push([x, Math.round((1 - value / maximum) * 10_000) / 100]);
    }
  });
  // A path with one point is invisible.
  return segments.map((points) => {
    const [[x, y] = [0, 0]] = points;
    return points.length > 1
      ? points
      : [
          [Math.max(0, x - 0.3), y],
          [x + 0.3, y],
        ];
  });
};

const joinPoints = (points: readonly Point[]) => points.map(([x, y]) => `${x} ${y}`).join('L');

const linePath = (segments: readonly (readonly Point[])[]): string =>
  segments.map((points) => `M${joinPoints(points)}`).join('');

const areaPath = (segments: readonly (readonly Point[])[]): string =>
  segments.map((points) => `M${points[0]![0]} 100L${joinPoints(points)}L${points.at(-1)![0]} 100Z`).join('');

interface LineChartProps {
  readonly title: string;
  readonly value: string;
  readonly unit: string;
  /** Unit of the selected value; default: `unit`, which is that of `value`. */
  readonly valueUnit?: string;
  readonly interval?: 'minute' | 'hour';
  readonly site?: SiteZone;
  /** In ms since 1970. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  /** Durations are in seconds. */
  readonly isDuration?: boolean;
  readonly tone?: 'bad' | undefined;
}

export const LineChart = (props: LineChartProps) => {
  const {
    title,
    value,
    unit,
    valueUnit = unit,
    interval = 'minute',
    site,
    times,
    values,
    isDuration = false,
    tone,
  } = props;
  const format = isDuration ? formatDuration : formatShort;
  const [formatAxisTime, formatReadoutTime] =
    interval === 'hour' ? [formatDay, formatWeekdayAndTime] : [formatTimeOfDay, formatTimeOfDay];
  const maximum = scaleMaximum(Math.max(0, ...values.map((each) => each ?? 0)), isDuration);
  const { index: selected, handlers } = useCursor(values.length);
  const last = values.length - 1;
  const describe = (index: number) => {
    const each = values[index] ?? null;
    return `${formatReadoutTime(times[index] ?? 0, site)}: ${each === null ? 'no data' : `${format(each)} ${valueUnit}`}`;
  };
  const ticks = [0, maximum / 2, maximum];
  /** A digit of the labels is about 7 px wide. */
  const axisWidthPx = 10 + 7 * Math.max(4, ...ticks.map((tick) => format(tick).length));
  const segments = segmentsOf(values, maximum);
  return (
    <figure class="card" data-tone={tone} style={{ '--axis-width': `${axisWidthPx}px` }}>
      <figcaption class="chart-head">
        <h2>{title}</h2>
        <span class="chart-readout">{selected === undefined ? '' : describe(selected)}</span>
        <span class="chart-value">
          {value} <small>{unit}</small>
        </span>
      </figcaption>
      <div
        class="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${title}, by ${interval}`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={selected ?? last}
        aria-valuetext={describe(selected ?? last)}
        {...handlers}
      >
        <svg viewBox={`0 0 ${Math.max(1, last)} 100`} preserveAspectRatio="none" aria-hidden="true">
          {[0, 50, 100].map((y) => (
            <line key={y} class="chart-grid" x1="0" x2={last} y1={y} y2={y} vector-effect="non-scaling-stroke" />
          ))}
          <path class="chart-area" d={areaPath(segments)} />
          <path class="chart-line" d={linePath(segments)} vector-effect="non-scaling-stroke" />
        </svg>
        {ticks.map((tick) => (
          <span key={tick} class="chart-tick" style={{ bottom: `${(tick / maximum) * 100}%` }} aria-hidden="true">
            {format(tick)}
          </span>
        ))}
        {selected !== undefined && (
          <i class="chart-cursor" style={{ left: `${(selected / Math.max(1, last)) * 100}%` }} />
        )}
      </div>
      <div class="chart-times" aria-hidden="true">
        {(interval === 'hour' ? [0, last] : [0, Math.floor(last / 2), last]).map((index) => (
          <span key={index}>{times[index] === undefined ? '' : formatAxisTime(times[index], site)}</span>
        ))}
      </div>
    </figure>
  );
};
