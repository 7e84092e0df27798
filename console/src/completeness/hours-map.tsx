import { useRef, useState } from 'preact/hooks';
import type { ScreenHours } from '../api/types.ts';
import { formatPercent } from '../format/numbers.ts';
import { formatDay, formatTimeOfDay } from '../format/time.tsx';
import { dayStartsBetween, shownZone, type SiteZone } from '../format/time-zone.ts';
import { hrefTo } from '../state/route.ts';
import { hourMs, HoursStrip } from './hours-strip.tsx';

interface AxisProps {
  readonly fromMs: number;
  readonly hours: number;
  readonly site: SiteZone;
}

/**
 * Returns a label for each midnight or, in windows of up to 60 hours, for every sixth hour. There are at most 8 labels, 3 on narrow
 * screens.
 */
const axisLabels = (fromMs: number, hours: number, site: SiteZone): readonly { hour: number; text: string }[] => {
  const stepHours = hours <= 60 ? 6 : 24;
  const maxLabels = innerWidth < 860 ? 3 : 8;
  const interval = Math.ceil(hours / (stepHours * maxLabels));
  const toMs = fromMs + hours * hourMs;
  const dayStarts = dayStartsBetween(fromMs - 24 * hourMs, toMs, shownZone(site));
  const labels = dayStarts.flatMap((startMs, index) => {
    const times: { hour: number; text: string }[] = [];
    for (let ms = startMs; ms < (dayStarts[index + 1] ?? toMs); ms += stepHours * hourMs)
      if (ms >= fromMs)
        times.push({
          hour: (ms - fromMs) / hourMs,
          text: ms === startMs ? formatDay(ms, site) : formatTimeOfDay(ms, site),
        });
    return times;
  });
  return labels.filter((_, index) => index % interval === 0);
};

const Axis = ({ fromMs, hours, site }: AxisProps) => (
  <>
    <span class="wide-only" />
    <div class="map-axis" aria-hidden="true">
      {axisLabels(fromMs, hours, site).map(({ hour, text }) => (
        // The text of a label near the right end would overflow the map, so it is at the left of its line.
        <span key={hour} class={hour / hours > 0.75 ? 'before' : ''} style={{ left: `${(hour / hours) * 100}%` }}>
          {text}
        </span>
      ))}
    </div>
    <span class="wide-only map-share muted">with plays</span>
  </>
);

/** Returns the percentage of the expected hours that have plays. */
const playedShare = ({ expected_hours: expected, played_hours: played }: ScreenHours): string =>
  expected === 0 ? '–' : formatPercent(played / expected);

interface HoursMapProps extends AxisProps {
  readonly screens: readonly ScreenHours[];
}

/** A map with a row per screen and a column per hour. The pointer or the arrow keys select an hour. The whole map is a single tab stop. */
export const HoursMap = ({ screens, fromMs, hours, site }: HoursMapProps) => {
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
        <Axis fromMs={fromMs} hours={hours} site={site} />
        {screens.map((screen, row) => {
          const { screen_id, device_id, device_name, site_name, cells } = screen;
          return (
            <div class="map-row" key={screen_id}>
              <div class="map-name">
                <a href={hrefTo('devices', device_id)} title={`${screen_id} on ${device_name}`}>
                  {screen_id}
                </a>
                <span class="sub" title={site_name}>
                  {site_name}
                </span>
              </div>
              <span class="map-share" title="Hours with plays, as a share of the hours in which the site was open">
                {playedShare(screen)}
              </span>
              <HoursStrip
                screenId={screen_id}
                cells={cells}
                fromMs={fromMs}
                site={site}
                isTabStop={row === Math.min(tabStopRow, screens.length - 1)}
                entryHour={entryHour}
                onSelect={setReadout}
                onLeave={(rowOffset, hour) => moveTo(row + rowOffset, hour)}
              />
            </div>
          );
        })}
      </div>
      <p class="map-readout" aria-hidden="true">
        {readout || <span class="muted">Point at an hour, or select the map and use the arrow keys.</span>}
      </p>
    </section>
  );
};
