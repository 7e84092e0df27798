import { useRef, useState } from 'preact/hooks';
import type { ScreenHours } from '../api/shapes.ts';
import { percentText } from '../parts/numbers.ts';
import { addressOf } from '../state/place.ts';
import { Axis } from './axis.tsx';
import { Strip } from './strip.tsx';

interface MapProps {
  readonly screens: readonly ScreenHours[];
  /** When the first hour begins, ms since 1970. */
  readonly from: number;
  readonly hours: number;
}

/** Of the hours in which something is known, how many have plays. */
const shareOf = (cells: string): string => {
  const known = cells.replaceAll('-', '');
  const played = known.replaceAll(/[so]/g, '');
  return known === '' ? '–' : percentText(played.length / known.length);
};

/** Screens by hours. Pointed at, or walked over with the arrow keys. */
export const HoursMap = ({ screens, from, hours }: MapProps) => {
  const map = useRef<HTMLDivElement>(null);
  const [door, setDoor] = useState(0);
  const [entry, setEntry] = useState(hours - 1);
  const [reading, setReading] = useState('');
  const move = (row: number, hour: number) => {
    const next = Math.max(0, Math.min(screens.length - 1, row));
    setDoor(next);
    setEntry(hour);
    // When the row has learned where to begin.
    requestAnimationFrame(() => map.current?.querySelectorAll<HTMLElement>('[role="slider"]')[next]?.focus());
  };
  return (
    <section class="card" aria-label="Map of hours">
      <div class="map" ref={map}>
        <Axis from={from} hours={hours} />
        {screens.map(({ screen_id, device_id, device_name, site_name, cells }, row) => (
          <div class="map-row" key={screen_id}>
            <div class="map-name">
              <a href={addressOf('devices', device_id)} title={`${screen_id} on ${device_name}`}>
                {screen_id}
              </a>
              <span class="sub" title={site_name}>
                {site_name}
              </span>
            </div>
            <span class="map-share" title="Hours with plays, of those in which something is known">
              {shareOf(cells)}
            </span>
            <Strip
              name={screen_id}
              cells={cells}
              from={from}
              isDoor={row === Math.min(door, screens.length - 1)}
              entry={entry}
              read={setReading}
              move={(rows, hour) => move(row + rows, hour)}
            />
          </div>
        ))}
      </div>
      <p class="map-reading" aria-hidden="true">
        {reading || <span class="muted">Point at an hour, or walk over the map with the arrow keys.</span>}
      </p>
    </section>
  );
};
