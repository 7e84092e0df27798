import { useRef, useState } from 'preact/hooks';
import type { ScreenHours } from '../api/types.ts';
import { TimeAxis } from '../charts/time-axis.tsx';
import { formatPercent } from '../format/numbers.ts';
import type { SiteZone } from '../format/time-zone.ts';
import { hrefTo } from '../state/route.ts';
import { hourMs, HoursStrip } from './hours-strip.tsx';

const playedShare = ({ expected_hours: expected, played_hours: played }: ScreenHours): string =>
  expected === 0 ? '–' : formatPercent(played / expected);

interface HoursMapProps {
  readonly fromMs: number;
  readonly hours: number;
  readonly site: SiteZone;
  readonly screens: readonly ScreenHours[];
}

/** All strips of the map together are one tab stop. */
export const HoursMap = ({ screens, fromMs, hours, site }: HoursMapProps) => {
  const map = useRef<HTMLDivElement>(null);
  const [tabStopRow, setTabStopRow] = useState(0);
  const [entryHour, setEntryHour] = useState(hours - 1);
  const [readout, setReadout] = useState('');
  const moveTo = (row: number, hour: number) => {
    const next = Math.max(0, Math.min(screens.length - 1, row));
    setTabStopRow(next);
    setEntryHour(hour);
    // On focus, the row selects its `entryHour`, which it receives only with the next render.
    requestAnimationFrame(() => map.current?.querySelectorAll<HTMLElement>('[role="slider"]')[next]?.focus());
  };
  return (
    <section class="card" aria-label="Map of hours">
      <div class="map" ref={map}>
        <span class="wide-only" />
        <TimeAxis fromMs={fromMs} toMs={fromMs + hours * hourMs} site={site} />
        <span class="wide-only map-share muted">with plays</span>
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
              <span
                class="map-share"
                title="Hours with plays, as a share of the opening hours since the registration of the screen"
              >
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
