import { useRef, useState } from 'preact/hooks';
import type { ScreenHours } from '../api/types.ts';
import { formatPercent } from '../format/numbers.ts';
import { formatDay, formatTimeOfDay } from '../format/time.tsx';
import { hrefTo } from '../state/route.ts';
import { hourMs, HoursStrip } from './hours-strip.tsx';

interface AxisProps {
  readonly fromMs: number;
  readonly hours: number;
}

/**
 * Returns a label for each midnight or, in windows of up to 60 hours, for every sixth hour. There are at most 8 labels, 3 on narrow
 * screens.
 */
const axisLabels = (fromMs: number, hours: number): readonly { hour: number; text: string }[] => {
  const stepHours = hours <= 60 ? 6 : 24;
  const maxLabels = innerWidth < 860 ? 3 : 8;
  const interval = Math.ceil(hours / (stepHours * maxLabels));
  const labels: { hour: number; text: string }[] = [];
  for (let hour = 0; hour < hours; hour += 1) {
    const time = new Date(fromMs + hour * hourMs);
    if (time.getHours() % stepHours === 0)
      labels.push({ hour, text: time.getHours() === 0 ? formatDay(+time) : formatTimeOfDay(+time) });
  }
  return labels.filter((_, index) => index % interval === 0);
};

const Axis = ({ fromMs, hours }: AxisProps) => (
  <>
    <span class="wide-only" />
    <div class="map-axis" aria-hidden="true">
      {axisLabels(fromMs, hours)
        // A label near the right end would overflow the map, so it is omitted.
        .filter(({ hour }) => hour / hours < 0.94)
        .map(({ hour, text }) => (
          <span key={hour} style={{ left: `${(hour / hours) * 100}%` }}>
            {text}
          </span>
        ))}
    </div>
    <span class="wide-only map-share muted">with plays</span>
  </>
);

/** Returns the percentage of hours with plays, ignoring hours whose state is unknown. */
const playedShare = (cells: string): string => {
  const known = cells.replaceAll('-', '');
  const played = known.replaceAll(/[so]/g, '');
  return known === '' ? '–' : formatPercent(played.length / known.length);
};

interface HoursMapProps extends AxisProps {
  readonly screens: readonly ScreenHours[];
}

/** A map with a row per screen and a column per hour. The pointer or the arrow keys select an hour. The whole map is a single tab stop. */
export const HoursMap = ({ screens, fromMs, hours }: HoursMapProps) => {
  const map = useRef<HTMLDivElement>(null);
  const [tabStopRow, setTabStopRow] = useState(0);
  const [entryHour, setEntryHour] = useState(hours - 1);
  const [readout, setReadout] = useState('');
  const moveTo = (row: number, hour: number) => {
    const next = Math.max(0, Math.min(screens.length - 1, row));
    setTabStopRow(next);
    setEntryHour(hour);
    // On focus, the row selects its `entryHour`. The focus therefore moves only after the next render, which passes the new
    // `entryHour` to the row.
    requestAnimationFrame(() => map.current?.querySelectorAll<HTMLElement>('[role="slider"]')[next]?.focus());
  };
  return (
    <section class="card" aria-label="Map of hours">
      <div class="map" ref={map}>
        <Axis fromMs={fromMs} hours={hours} />
        {screens.map(({ screen_id, device_id, device_name, site_name, cells }, row) => (
          <div class="map-row" key={screen_id}>
            <div class="map-name">
              <a href={hrefTo('devices', device_id)} title={`${screen_id} on ${device_name}`}>
                {screen_id}
              </a>
              <span class="sub" title={site_name}>
                {site_name}
              </span>
            </div>
            <span class="map-share" title="Hours with plays, as a share of the hours that are not unknown">
              {playedShare(cells)}
            </span>
            <HoursStrip
              screenId={screen_id}
              cells={cells}
              fromMs={fromMs}
              isTabStop={row === Math.min(tabStopRow, screens.length - 1)}
              entryHour={entryHour}
              onSelect={setReadout}
              onLeave={(rowOffset, hour) => moveTo(row + rowOffset, hour)}
            />
          </div>
        ))}
      </div>
      <p class="map-readout" aria-hidden="true">
        {readout || <span class="muted">Point at an hour, or select the map and use the arrow keys.</span>}
      </p>
    </section>
  );
};
