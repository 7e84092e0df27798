import { AGE_CATEGORIES, GENDERS, MOODS, PLAY_REASONS, POP_TYPES } from '@popsvc/contracts/vocabulary';
import {
  boolean,
  type Dataset,
  type DatasetColumn,
  date,
  decimal,
  float,
  fractions,
  number,
  string,
  texts,
} from '../declarations/dataset.ts';
import {
  hourAndDayColumns,
  networkColumns,
  placeColumns,
  placeHierarchy,
  siteZoneColumn,
} from '../declarations/shared-columns.ts';
import { timestamp, timestamps, utcTimestamp } from '../declarations/time-columns.ts';
import {
  addMs,
  attribute,
  firstKnown,
  hourRange,
  type Instant,
  isEmptyList,
  isEmptyText,
  type Key,
  knownId,
  knownText,
  localLabelOf,
  msBetween,
  nullableList,
  nullableListSql,
  numbers,
  percent,
  product,
  type Quantity,
  seconds,
  text,
  truth,
  unless,
  type Value,
  value,
  whole,
  word,
} from '../declarations/values.ts';
import { coffee, coffeeHistory, coffeePage } from './coffee.table.ts';

const { fields } = coffeePage;
const { ts, site_tz: siteZone, watch_ms: watchMs, presence_ms: presenceMs } = fields;
const { play_pos: playPos, detection_pos: detectionPos } = fields;

const campaign: Key = { sql: '(network_id, campaign_ref)', text: fields.campaign_ref.text };
const creative: Key = { sql: '(network_id, creative_ref)', text: fields.creative_ref.text };
const vendor: Key = { sql: 'tuple(toString(vendor))', text: fields.vendor.text };

const strategyValue = (name: 'strategy_id' | 'strategy_name') =>
  firstKnown(attribute('creatives', name, creative), attribute('campaigns', name, campaign));

const hasNoDetection = isEmptyText(fields.detection_id);

const detected = (shown: Value) => unless(hasNoDetection, shown);

const flagged = (flag: Quantity, ms: Quantity) => seconds(product(flag, ms));

const deltaIds = value(
  nullableListSql(
    `if(detection_id = '', [toString(play_pos)], [toString(play_pos), toString(detection_pos)])`,
    'String',
  ),
  (row) =>
    hasNoDetection.holds(row) ? `["${playPos.text(row)}"]` : `["${playPos.text(row)}","${detectionPos.text(row)}"]`,
);

/** Compares the positions as text, because a double may not represent them exactly. */
const newestDeltaId = value('toString(greatest(play_pos, detection_pos))', (row) => {
  const [play, detection] = [playPos.text(row), detectionPos.text(row)];
  const isPlayNewer = play.length === detection.length ? play > detection : play.length > detection.length;
  return `"${isPlayNewer ? play : detection}"`;
});

const siteTime: Instant = {
  sql: `if(detection_id = '', ts, greatest(ts, detected_from))`,
  ms: (row) => (hasNoDetection.holds(row) ? row.ms : Math.max(row.ms, fields.detected_from.ms(row))),
};

const genderAndAge = value(
  `concat(gender, '_', age_category)`,
  (row) => `"${fields.gender.text(row)}_${fields.age_category.text(row)}"`,
);

const columns: readonly DatasetColumn[] = [
  string(
    'POP_TYPE',
    'population: VIEWER could see the screen, FOOTFALL was counted while passing, VEHICLE; of plays without a detection NONE, or UNMEASURED without a heartbeat of a feeder; ESTIMATED is reserved',
    word(fields.pop_type),
    POP_TYPES,
  ),
  string('PLAY_REASON', 'reason for playback', word(fields.play_reason), PLAY_REASONS),
  number('CAMPAIGN_ID', 'campaign id', attribute('campaigns', 'campaign_id', campaign)),
  string('CAMPAIGN_NAME', 'campaign name', attribute('campaigns', 'name', campaign)),
  number('TARGET_STRATEGY_ID', 'targeting strategy id', strategyValue('strategy_id')),
  string('STRATEGY_NAME', 'targeting strategy name', strategyValue('strategy_name')),
  string('MEDIA_PLAYER_NAME', "the vendor's name", attribute('vendors', 'name', vendor)),
  number('DETAILID', 'id of the row, and the key of its changes', whole(fields.number)),
  string('EVENT_ID', 'event identifier', text(fields.event_id)),
  string('TITLE', 'content title', attribute('creatives', 'title', creative)),
  string('DISPLAY_TITLE', 'content title for display', attribute('creatives', 'display_title', creative)),
  float('PLAYOUT', 'playout duration, seconds', seconds(fields.duration_ms)),
  timestamp('DT_START_SITE_TZ', 'playout start, site timezone', ts, siteZone),
  timestamp('DT_END_SITE_TZ', 'playout end, site timezone', addMs(ts, fields.duration_ms), siteZone),
  number('WATCHERID', 'person as the vendor numbers it', detected(whole(fields.watcher_id))),
  texts('DELTA_ID', 'delta ids: sequences of the source items in the log', deltaIds),
  timestamp(
    'SITE_TIMESTAMP_SITE_TZ',
    'site timestamp: the later of play start and detection start',
    siteTime,
    siteZone,
  ),
  timestamps(
    'WATCH_TIMESTAMP_SITE_TZ_DETAILS',
    'starts of the watch intervals, merged and cut to the play',
    fields.watch_starts,
    siteZone,
    hasNoDetection,
  ),
  timestamps(
    'WATCH_TIMESTAMP_END_SITE_TZ_DETAILS',
    'ends of the watch intervals, merged and cut to the play',
    fields.watch_ends,
    siteZone,
    hasNoDetection,
  ),
  timestamp('DETECTION_TIMESTAMP_SITE_TZ', 'detection start', fields.detected_from, siteZone, hasNoDetection),
  timestamp('DETECTION_TIMESTAMP_END_SITE_TZ', 'detection end', fields.detected_to, siteZone, hasNoDetection),
  string('REID', 're-identification token, as the vendor sent it', knownText(fields.reid)),
  timestamps(
    'START_TIME',
    'the same as WATCH_TIMESTAMP_SITE_TZ_DETAILS',
    fields.watch_starts,
    siteZone,
    hasNoDetection,
  ),
  string('GENDER', 'detected gender', detected(word(fields.gender)), GENDERS),
  string('AGE', 'detected age: years, or a range such as 25-34, <15 or 65+', knownText(fields.age)),
  string(
    'AGE_CATEGORY',
    'detected age category: child under 15, young_adult 15 to 34, adult 35 to 64, senior from 65',
    detected(word(fields.age_category)),
    AGE_CATEGORIES,
  ),
  string('GENDER_AGE_CATEGORY', 'gender and age category, such as female_adult', detected(genderAndAge)),
  string('MOOD', 'detected mood', detected(word(fields.mood)), MOODS),
  fractions(
    'DISTANCE',
    'measured distances, metres',
    nullableList(unless(isEmptyList(fields.distance), numbers(fields.distance)), 'Float64'),
  ),
  number('ATTENTION', 'watch time in percent of the presence, 0-100', detected(percent(watchMs, presenceMs))),
  float(
    'DURATION',
    'length of the whole detection, also before and after the play, seconds',
    detected(seconds(msBetween(fields.detected_from, fields.detected_to))),
  ),
  decimal('WATCH_TIME', 'watch time: how long the person looked during the play, seconds', detected(seconds(watchMs))),
  number(
    'IS_IMPRESSION',
    '1 if the presence is at least impression_ms, or IS_GLANCE is 1; else 0',
    whole(fields.is_impression),
  ),
  decimal(
    'DURATION_IMPRESSION',
    'presence, seconds: overlap of detection and play; 0 without an impression',
    flagged(fields.is_impression, presenceMs),
  ),
  number('IS_GLANCE', '1 if WATCH_TIME is at least glance_ms; else 0', whole(fields.is_glance)),
  decimal('DURATION_GLANCE', 'watch time, seconds; 0 without a glance', flagged(fields.is_glance, watchMs)),
  number('IS_VIEW', '1 if WATCH_TIME is at least view_ms; else 0', whole(fields.is_view)),
  decimal('DURATION_VIEW', 'watch time, seconds; 0 without a view', flagged(fields.is_view, watchMs)),
  number(
    'IS_VIEW_THROUGH',
    '1 if IS_VIEW is 1, WATCH_TIME is at least view_through_share of PLAYOUT, and the presence is shorter than PLAYOUT by at most view_through_slack_ms; else 0',
    whole(fields.is_view_through),
  ),
  decimal(
    'DURATION_VIEW_THROUGH',
    'watch time, seconds; 0 without a view-through',
    flagged(fields.is_view_through, watchMs),
  ),
  number('IS_WATCHED', '1 if WATCH_TIME is above 0; else 0', whole(fields.is_watched)),
  ...networkColumns,
  ...placeColumns(fields),
  number('FEEDER_ID', 'feeder id', knownId(fields.feeder_id)),
  string('FEEDER_NAME', 'feeder name', attribute('feeders', 'name', fields.feeder_id)),
  string(
    'SUBSCRIPTION_NAME',
    'subscription of the campaign, from the registry',
    attribute('campaigns', 'subscription_name', campaign),
  ),
  siteZoneColumn(fields),
  string('DEVICE_TZ', 'device timezone', knownText(fields.device_tz)),
  string('TIME_RANGE_SITE_TZ', 'time range label: the hour, as in 16:00-17:00', hourRange(ts, siteZone)),
  string('MONTH', 'month label: YYYY-MM', localLabelOf('%Y-%m', ts, siteZone)),
  date('DT_ONLY_SITE_TZ', 'date in site timezone: YYYY-MM-DD', localLabelOf('%Y-%m-%d', ts, siteZone)),
  ...hourAndDayColumns(fields),
  boolean(
    'IS_BUSINESSHOUR',
    'true if the play starts within the business hours of the site; true for a site without business hours, null for a screen without a place',
    truth(fields.is_business_hour),
  ),
  utcTimestamp('SILVER_STAGE_TIMESTAMP', 'when the row was derived, UTC', fields.projected_at),
  utcTimestamp(
    'STREAM_STAGE_TIMESTAMP',
    'when the newest event of the row was recorded in the log, UTC',
    fields.recorded_at,
  ),
  string('SF_DELTA_ID', 'warehouse delta id: the newest of DELTA_ID', newestDeltaId),
];

export const coffeeDataset: Dataset = {
  name: 'coffee',
  about:
    'Campaign-level audience and engagement: one row per play and detection, or one row per play without a detection. ' +
    'Names in lower case in the meaning of a column, such as impression_ms, are thresholds of /api/v1/metric-definitions.',
  time: 'start of the play (DT_START_SITE_TZ)',
  table: coffee,
  history: coffeeHistory,
  page: coffeePage,
  columns,
  typedOnlyColumns: [],
  hierarchies: [
    placeHierarchy({ name: 'feeder', key: 'FEEDER_ID', label: 'FEEDER_NAME' }),
    {
      name: 'campaign',
      about: 'What the play belongs to.',
      levels: [
        { name: 'campaign', key: 'CAMPAIGN_ID', label: 'CAMPAIGN_NAME' },
        { name: 'strategy', key: 'TARGET_STRATEGY_ID', label: 'STRATEGY_NAME' },
      ],
    },
    {
      name: 'time',
      about: 'When the play began, in the time zone of the site.',
      levels: [
        { name: 'month', key: 'MONTH', label: 'MONTH' },
        { name: 'date', key: 'DT_ONLY_SITE_TZ', label: 'DT_ONLY_SITE_TZ' },
        { name: 'hour', key: 'HOUR_SITE_TZ', label: 'TIME_RANGE_SITE_TZ' },
      ],
    },
  ],
};
