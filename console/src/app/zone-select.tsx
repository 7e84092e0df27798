import { browserZone, zoneMode, zoneModes } from '../format/time-zone.ts';

const labels = { browser: browserZone, site: 'Site time', utc: 'UTC' } as const;

/** Shows the time zone of all times, and changes it. */
export const ZoneSelect = () => (
  <select
    class="zone-select"
    aria-label="Time zone"
    title="Time zone of all times. Site time: that of the site; other times stay in the zone of the browser."
    value={zoneMode.value}
    onChange={({ currentTarget }) => {
      zoneMode.value = zoneModes.find((mode) => mode === currentTarget.value) ?? 'browser';
    }}
  >
    {zoneModes.map((mode) => (
      <option key={mode} value={mode}>
        {labels[mode]}
      </option>
    ))}
  </select>
);
