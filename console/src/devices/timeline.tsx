import type { Outage } from '../api/shapes.ts';
import { dayText, hourText, weekdayText } from '../parts/times.ts';
import { useCursor } from '../parts/use-cursor.ts';

interface TimelineProps {
  readonly outages: readonly Outage[];
  /** ms since 1970. */
  readonly from: number;
  readonly to: number;
}

const quarterMs = 15 * 60_000;

const midnights = (from: number, to: number): readonly number[] => {
  const found: number[] = [];
  const day = new Date(from);
  for (day.setHours(24, 0, 0, 0); day.getTime() < to; day.setDate(day.getDate() + 1)) found.push(day.getTime());
  return found;
};

/** A band in which outages stand lower than the rest; read in steps of a quarter of an hour. */
export const Timeline = ({ outages, from, to }: TimelineProps) => {
  const length = Math.round((to - from) / quarterMs);
  const { at, handlers } = useCursor(length);
  const share = (ms: number) => `${((Math.max(from, Math.min(to, ms)) - from) / (to - from)) * 100}%`;
  /** Just after midnight the name of the day would stand beyond the band. */
  const hasRoom = (ms: number) => to - ms > (to - from) * 0.1;
  const readingOf = (index: number): string => {
    const ms = from + (index + 0.5) * quarterMs;
    const outage = outages.find(
      ({ offline_at, online_at }) => Date.parse(offline_at) <= ms && (online_at === null || ms < Date.parse(online_at)),
    );
    return `${hourText(ms)}: ${outage ? 'offline' : 'not known to be offline'}`;
  };
  return (
    <div>
      <p class="muted" aria-hidden="true">
        {at === undefined ? 'Point at the band, or walk through it with the arrow keys.' : readingOf(at)}
      </p>
      <div class="timeline">
        <div
          class="timeline-band"
          role="slider"
          tabIndex={0}
          aria-label="Status, by quarter of an hour"
          aria-valuemin={0}
          aria-valuemax={length - 1}
          aria-valuenow={at ?? length - 1}
          aria-valuetext={readingOf(at ?? length - 1)}
          {...handlers}
        >
          {outages.map(({ offline_at, online_at }) => {
            const [left, right] = [
              share(Date.parse(offline_at)),
              share(online_at === null ? to : Date.parse(online_at)),
            ];
            return <i key={offline_at} style={{ left, width: `calc(${right} - ${left})` }} />;
          })}
          {at !== undefined && <b class="timeline-cursor" style={{ left: share(from + (at + 0.5) * quarterMs) }} />}
        </div>
        <div class="timeline-days" aria-hidden="true">
          {midnights(from, to).map((ms) => (
            <span key={ms} style={{ left: share(ms) }}>
              {hasRoom(ms) && (innerWidth < 860 ? weekdayText(ms) : dayText(ms))}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
};
