import { coffeeThresholds } from '../tables/index.ts';
import { timeZoneDictionary } from '../time-zones/time-zones.ts';
import { as, column, defineAnalystView, ofNetwork, TABLES_DATABASE } from './analyst-view.ts';

const seconds = (about: string, milliseconds: keyof typeof coffeeThresholds.fields) =>
  column('Float64', about, `r.${milliseconds} / 1000`);

export const viewingThresholds = defineAnalystView({
  name: 'viewing_thresholds',
  about:
    'One row per network and period with one set of thresholds. They decide what is an impression, glance, view and view-through; a play uses those of its start. Join plays with ASOF JOIN by network_id and starts_at.',
  from: (ownRows) =>
    `(SELECT *, leadInFrame(toNullable(valid_from)) OVER (PARTITION BY network_id ORDER BY valid_from ` +
    `ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next_from FROM ${ownRows(coffeeThresholds)}) AS r`,
  columns: {
    ...ofNetwork,
    starts_at: as(
      coffeeThresholds,
      'valid_from',
      'r.valid_from',
      'First instant of the period; 1970 for the first one.',
    ),
    ends_at: column(
      "Nullable(DateTime64(3, 'UTC'))",
      'First instant after the period; null for the last one.',
      'r.next_from',
    ),
    definition: as(
      coffeeThresholds,
      'definition',
      'r.definition',
      'Version of the metric definition; 0 is the default.',
    ),
    min_presence_seconds: seconds('Shortest presence during a play for which audience has a row.', 'min_presence_ms'),
    merge_gap_seconds: seconds('Gaps in watching up to this are closed.', 'merge_gap_ms'),
    impression_seconds: seconds(
      'Shortest presence of an impression. A glance is always an impression.',
      'impression_ms',
    ),
    glance_seconds: seconds('Shortest watch time of a glance.', 'glance_ms'),
    view_seconds: seconds('Shortest watch time of a view.', 'view_ms'),
    view_through_absence_seconds: seconds(
      'Longest absence of a view-through during the play. A view-through is also a view.',
      'view_through_slack_ms',
    ),
    view_through_share: column(
      'Float64',
      'Least share of the play that a view-through watches, 0 to 1.',
      'r.view_through_permille / 1000',
    ),
  },
});

/** The last time that a DateTime64 supports. */
const lastMs = Date.UTC(2300, 0, 1) - 1;

export const timeZones = defineAnalystView({
  name: 'time_zones',
  about:
    'One row per zone and period with one offset from UTC, for all zones. Join an instant with ASOF JOIN by zone and starts_at: the instant plus offset_seconds is local time.',
  // Every shard stores all zones, so only the first shard shows them.
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
