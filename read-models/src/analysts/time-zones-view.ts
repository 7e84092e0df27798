import { timeZoneDictionary } from '../time-zones/time-zones.ts';
import { column, defineAnalystView, TABLES_DATABASE } from './analyst-view.ts';

/** The last time that a DateTime64 supports, in ms since 1970. */
const lastMs = Date.UTC(2300, 0, 1) - 1;

export const timeZones = defineAnalystView({
  name: 'time_zones',
  about:
    'One row per zone and period with one offset from UTC, for all zones. Join an instant with ASOF JOIN by zone and starts_at: the instant plus offset_seconds is local time.',
  // Every shard has all zones. Of several shards, the first shows them.
  from: (_, { index }) =>
    `(SELECT * FROM ${TABLES_DATABASE}.${timeZoneDictionary}${index === 0 ? '' : ' WHERE 0'}) AS r`,
  columns: {
    zone: column('String', 'Name of the zone, such as Europe/Berlin.', 'r.zone'),
    starts_at: column(
      "DateTime64(3, 'UTC')",
      'First instant of the period; the first period of a zone starts in 1900.',
      `fromUnixTimestamp64Milli(r.from_ms, 'UTC')`,
    ),
    ends_at: column(
      "DateTime64(3, 'UTC')",
      'First instant after the period; the last period of a zone ends in 2299.',
      `fromUnixTimestamp64Milli(least(r.to_ms + 1, ${lastMs}), 'UTC')`,
    ),
    offset_seconds: column('Int64', 'Seconds that local time is ahead of UTC.', 'r.offset_seconds'),
  },
});
