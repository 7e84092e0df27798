import type { Outage } from '../api/types.ts';
import { useCursor } from '../charts/cursor.ts';
import { formatDay, formatDayAndTime, formatWeekday } from '../format/time.tsx';

interface OutageTimelineProps {
  readonly outages: readonly Outage[];
  readonly fromMs: number;
  readonly toMs: number;
}

const stepMs = 15 * 60_000;

const midnightsBetween = (fromMs: number, toMs: number): readonly number[] => {
  const midnights: number[] = [];
  const day = new Date(fromMs);
  for (day.setHours(24, 0, 0, 0); day.getTime() < toMs; day.setDate(day.getDate() + 1)) midnights.push(day.getTime());
  return midnights;
};

/** A timeline that shows each outage as a bar. The pointer or the arrow keys select an interval of 15 minutes. */
export const OutageTimeline = ({ outages, fromMs, toMs }: OutageTimelineProps) => {
  const length = Math.round((toMs - fromMs) / stepMs);
  const { index: selected, handlers } = useCursor(length);
  const positionOf = (ms: number) => `${((Math.max(fromMs, Math.min(toMs, ms)) - fromMs) / (toMs - fromMs)) * 100}%`;
  /** Returns false for a midnight near the end of the band, where the name of the day would overflow the band. */
  const hasRoomForName = (midnightMs: number) => toMs - midnightMs > (toMs - fromMs) * 0.1;
  const describe = (index: number): string => {
    const ms = fromMs + (index + 0.5) * stepMs;
    const outage = outages.find(
      ({ offline_at, online_at }) => Date.parse(offline_at) <= ms && (online_at === null || ms < Date.parse(online_at)),
    );
    return `${formatDayAndTime(ms)}: ${outage ? 'offline' : 'not known to be offline'}`;
  };
  return (
    <div>
      <p class="muted" aria-hidden="true">
        {selected === undefined ? 'Point at the band, or select it and use the arrow keys.' : describe(selected)}
      </p>
      <div class="timeline">
        <div
          class="timeline-band"
          role="slider"
          tabIndex={0}
          aria-label="Status, by quarter of an hour"
          aria-valuemin={0}
          aria-valuemax={length - 1}
          aria-valuenow={selected ?? length - 1}
          aria-valuetext={describe(selected ?? length - 1)}
          {...handlers}
        >
          {outages.map(({ offline_at, online_at }) => {
            const left = positionOf(Date.parse(offline_at));
            const right = positionOf(online_at === null ? toMs : Date.parse(online_at));
            return <i key={offline_at} style={{ left, width: `calc(${right} - ${left})` }} />;
          })}
          {selected !== undefined && (
            <b class="timeline-cursor" style={{ left: positionOf(fromMs + (selected + 0.5) * stepMs) }} />
          )}
        </div>
        <div class="timeline-days" aria-hidden="true">
          {midnightsBetween(fromMs, toMs).map((ms) => (
            <span key={ms} style={{ left: positionOf(ms) }}>
              {hasRoomForName(ms) && (innerWidth < 860 ? formatWeekday(ms) : formatDay(ms))}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
};
