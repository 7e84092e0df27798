import { clockText } from './times.ts';
import { roundUp, shapeOf } from './scale.ts';
import { useCursor } from './use-cursor.ts';

interface ChartProps {
  readonly title: string;
  /** How it stands now, large. */
  readonly value: string;
  readonly unit: string;
  /** When each value is of, ms since 1970. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  readonly text: (value: number) => string;
  readonly tone?: 'bad' | undefined;
}

/** One measure over the last hour. It is read by pointing at it, or with the arrow keys. */
export const Chart = ({ title, value, unit, times, values, text, tone }: ChartProps) => {
  const top = roundUp(Math.max(0, ...values.map((one) => one ?? 0)));
  const { at, handlers } = useCursor(values.length);
  const told = at === undefined ? undefined : values[at];
  const readingOf = (index: number, one: number | null | undefined) =>
    `${clockText(times[index] ?? 0)}: ${one === null || one === undefined ? 'nothing told' : `${text(one)} ${unit}`}`;
  const reading = at === undefined ? '' : readingOf(at, told);
  const shape = shapeOf(values, top);
  const last = values.length - 1;
  return (
    <figure class="card" data-tone={tone}>
      <figcaption class="chart-head">
        <h2>{title}</h2>
        <span class="chart-reading">{reading}</span>
        <span class="chart-value">
          {value} <small>{unit}</small>
        </span>
      </figcaption>
      <div
        class="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${title}, by minute`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at ?? last}
        aria-valuetext={readingOf(at ?? last, values[at ?? last])}
        {...handlers}
      >
        <svg viewBox={`0 0 ${Math.max(1, last)} 100`} preserveAspectRatio="none" aria-hidden="true">
          {[0, 50, 100].map((y) => (
            <line key={y} class="chart-grid" x1="0" x2={last} y1={y} y2={y} vector-effect="non-scaling-stroke" />
          ))}
          <path class="chart-area" d={shape.area} />
          <path class="chart-line" d={shape.line} vector-effect="non-scaling-stroke" />
        </svg>
        {[0, top / 2, top].map((tick) => (
          <span key={tick} class="chart-tick" style={{ bottom: `${(tick / top) * 100}%` }} aria-hidden="true">
            {text(tick)}
          </span>
        ))}
        {at !== undefined && <i class="chart-cursor" style={{ left: `${(at / Math.max(1, last)) * 100}%` }} />}
      </div>
      <div class="chart-times" aria-hidden="true">
        {[0, Math.floor(last / 2), last].map((index) => (
          <span key={index}>{times[index] === undefined ? '' : clockText(times[index])}</span>
        ))}
      </div>
    </figure>
  );
};
