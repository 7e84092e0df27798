import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatDay, formatTimeOfDay } from '../format/time.tsx';
import { dayStartsBetween, shownZone, type SiteZone } from '../format/time-zone.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The longest label, such as `Wed, Nov 25`, with space to the next. */
const labelPx = 88;
/** Distances between labels, in ascending order. Labels less than a day apart are counted from midnight. */
const stepsMs = [6 * hourMs, 12 * hourMs, ...[1, 2, 4, 7, 14, 31].map((days) => days * dayMs)];

const labelTimes = (fromMs: number, toMs: number, site: SiteZone, stepMs: number): readonly number[] => {
  const days = dayStartsBetween(fromMs - dayMs, toMs, shownZone(site));
  if (stepMs >= dayMs) return days.filter((ms) => ms >= fromMs).filter((_, index) => index % (stepMs / dayMs) === 0);
  const times = days.flatMap((startMs) =>
    Array.from({ length: dayMs / stepMs }, (_, index) => startMs + index * stepMs),
  );
  return times.filter((ms) => ms >= fromMs);
};

interface TimeAxisProps {
  readonly fromMs: number;
  readonly toMs: number;
  readonly site: SiteZone;
}

export const TimeAxis = ({ fromMs, toMs, site }: TimeAxisProps) => {
  const axis = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidthPx(entry?.contentRect.width ?? 0));
    observer.observe(axis.current!);
    return () => observer.disconnect();
  }, []);
  const toPx = (ms: number) => (ms / (toMs - fromMs)) * widthPx;
  const stepMs = stepsMs.find((ms) => toPx(ms) >= labelPx);
  const times = stepMs === undefined ? [] : labelTimes(fromMs, toMs, site, stepMs);
  const starts = new Set(dayStartsBetween(fromMs, toMs, shownZone(site)));
  return (
    <div class="time-axis" ref={axis} aria-hidden="true">
      {times
        .filter((ms) => toPx(toMs - ms) >= labelPx)
        .map((ms) => (
          <span key={ms} style={{ left: `${(100 * (ms - fromMs)) / (toMs - fromMs)}%` }}>
            {starts.has(ms) ? formatDay(ms, site) : formatTimeOfDay(ms, site)}
          </span>
        ))}
    </div>
  );
};
