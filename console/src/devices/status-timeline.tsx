import type { DeviceTimeline } from '../api/types.ts';
import { useCursor } from '../charts/cursor.ts';
import { TimeAxis } from '../charts/time-axis.tsx';
import { formatDayAndTime } from '../format/time.tsx';
import type { SiteZone } from '../format/time-zone.ts';

type Status = DeviceTimeline['spans'][number]['status'];

const labels: Readonly<Record<Status, string>> = {
  online: 'online',
  offline: 'offline',
  unknown: 'unknown',
};

const stepMs = 15 * 60_000;

interface StatusTimelineProps {
  readonly timeline: DeviceTimeline;
  readonly site: SiteZone;
}

export const StatusTimeline = ({ timeline, site }: StatusTimelineProps) => {
  const [fromMs, toMs] = [Date.parse(timeline.from), Date.parse(timeline.to)];
  const spans = timeline.spans.map(({ from, to, status }) => ({ from: Date.parse(from), to: Date.parse(to), status }));
  const length = Math.round((toMs - fromMs) / stepMs);
  const { index: selected, handlers } = useCursor(length);
  const shareOf = (ms: number) => `${(100 * ms) / (toMs - fromMs)}%`;
  const positionOf = (ms: number) => shareOf(ms - fromMs);
  const describe = (index: number): string => {
    const ms = fromMs + (index + 0.5) * stepMs;
    const span = spans.find(({ from, to }) => from <= ms && ms < to);
    return `${formatDayAndTime(ms, site)}: ${labels[span?.status ?? 'unknown']}`;
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
          {spans.map(({ from, to, status }) => (
            <i key={from} class={`is-${status}`} style={{ left: positionOf(from), width: shareOf(to - from) }} />
          ))}
          {selected !== undefined && (
            <b class="timeline-cursor" style={{ left: positionOf(fromMs + (selected + 0.5) * stepMs) }} />
          )}
        </div>
        <TimeAxis fromMs={fromMs} toMs={toMs} site={site} />
      </div>
      <ul class="timeline-legend" aria-label="Legend">
        <li>
          <i class="is-online" /> Online
        </li>
        <li>
          <i class="is-offline" /> Offline
        </li>
        <li>
          <i class="is-unknown" /> Unknown: before the first heartbeat, or not projected yet
        </li>
      </ul>
    </div>
  );
};
