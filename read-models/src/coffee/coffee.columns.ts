import { coffee } from './coffee.table.ts';
import { AGE_CATEGORIES, GENDERS, MOODS, PLAY_REASONS, POP_TYPES } from '@popsvc/contracts/vocabulary';
import {
  boolean,
  type Dataset,
  type DatasetColumn,
  date,
  decimal,
  float,
  fractions,
  nullable,
  number,
  string,
  texts,
} from '../declarations/dataset.ts';
import {
  dictionaryValue,
  firstKnown,
  hourRange,
  knownId,
  knownText,
  label,
  percent,
  seconds,
} from '../declarations/dataset-sql.ts';
import {
  hourAndDayColumns,
  networkColumns,
  placeColumns,
  placeHierarchy,
  siteZone,
  siteZoneColumn,
} from '../declarations/shared-columns.ts';
import { timestamp, timestamps, utcTimestamp } from '../declarations/time-columns.ts';

const campaign = '(network_id, campaign_ref)';
const creative = '(network_id, creative_ref)';

/** Builds the SQL for an attribute of the creative's targeting strategy, or of the campaign's if the creative does not have one. */
const strategyValue = (attribute: 'strategy_id' | 'strategy_name') =>
  firstKnown(dictionaryValue('creatives', attribute, creative), dictionaryValue('campaigns', attribute, campaign));

/** Builds the SQL for a value of the detection; the value is null in a row without a detection. */
const detected = (sql: string) => nullable(`if(detection_id = '', NULL, ${sql})`);
/**
 * Builds the SQL for an array that may be null. ClickHouse has no nullable arrays, but a Variant that contains an array type can
 * be null.
 */
const nullableArray = (sql: string, type: string) => `CAST(${sql}, 'Variant(Array(${type.replaceAll("'", "\\'")}))')`;
const detectedArray = (sql: string, type: string) => nullable(nullableArray(detected(sql).nullable, type));
const flagged = (flag: string, milliseconds: string) => seconds(`${flag} * ${milliseconds}`);

const columns: readonly DatasetColumn[] = [
  string('POP_TYPE', 'population type', 'toString(pop_type)', POP_TYPES),
  string('PLAY_REASON', 'reason for playback', 'toString(play_reason)', PLAY_REASONS),
  number('CAMPAIGN_ID', 'campaign id', dictionaryValue('campaigns', 'campaign_id', campaign)),
  string('CAMPAIGN_NAME', 'campaign name', dictionaryValue('campaigns', 'name', campaign)),
  number('TARGET_STRATEGY_ID', 'targeting strategy id', strategyValue('strategy_id')),
  string('STRATEGY_NAME', 'targeting strategy name', strategyValue('strategy_name')),
  string('MEDIA_PLAYER_NAME', "the vendor's name", dictionaryValue('vendors', 'name', 'tuple(toString(vendor))')),
  number('DETAILID', 'detail record id', 'number'),
  string('EVENT_ID', 'event identifier', 'event_id'),
  string('TITLE', 'content title', dictionaryValue('creatives', 'title', creative)),
  string('DISPLAY_TITLE', 'content title for display', dictionaryValue('creatives', 'display_title', creative)),
  float('PLAYOUT', 'playout duration, seconds', seconds('duration_ms')),
  timestamp('DT_START_SITE_TZ', 'playout start, site timezone', 'ts', siteZone),
  timestamp('DT_END_SITE_TZ', 'playout end, site timezone', 'addMilliseconds(ts, duration_ms)', siteZone),
  number('WATCHERID', 'person as the vendor numbers it', detected('watcher_id')),
  texts(
    'DELTA_ID',
    'delta ids: sequences of the source items in the log',
    nullableArray(
      `if(detection_id = '', [toString(play_pos)], [toString(play_pos), toString(detection_pos)])`,
      'String',
    ),
  ),
  timestamp(
    'SITE_TIMESTAMP_SITE_TZ',
    'site timestamp: the later of play start and detection start',
    `if(detection_id = '', ts, greatest(ts, detected_from))`,
    siteZone,
  ),
  timestamps('WATCH_TIMESTAMP_SITE_TZ_DETAILS', 'watch start timestamps', 'watch_starts', siteZone, detectedArray),
  timestamps('WATCH_TIMESTAMP_END_SITE_TZ_DETAILS', 'watch end timestamps', 'watch_ends', siteZone, detectedArray),
  timestamp('DETECTION_TIMESTAMP_SITE_TZ', 'detection start', 'detected_from', siteZone, detected),
  timestamp('DETECTION_TIMESTAMP_END_SITE_TZ', 'detection end', 'detected_to', siteZone, detected),
  string('REID', 're-identification token', knownText('reid')),
  timestamps('START_TIME', 'start time details', 'watch_starts', siteZone, detectedArray),
  string('GENDER', 'detected gender', detected('toString(gender)'), GENDERS),
  string('AGE', 'detected age', knownText('age')),
  string('AGE_CATEGORY', 'detected age category', detected('toString(age_category)'), AGE_CATEGORIES),
  string('GENDER_AGE_CATEGORY', 'combined gender+age category', detected(`concat(gender, '_', age_category)`)),
  string('MOOD', 'detected mood', detected('toString(mood)'), MOODS),
  fractions(
    'DISTANCE',
    'distance measurements',
    nullable(nullableArray('if(empty(distance), NULL, distance)', 'Float64')),
  ),
  number('ATTENTION', 'attention score, 0-100', detected(percent('watch_ms', 'presence_ms'))),
  float(
    'DURATION',
    'detection duration, seconds',
    detected(seconds(`dateDiff('millisecond', detected_from, detected_to)`)),
  ),
  decimal('WATCH_TIME', 'total watch time, seconds', detected(seconds('watch_ms'))),
  number('IS_IMPRESSION', '1 if impression else 0', 'is_impression'),
  decimal('DURATION_IMPRESSION', 'presence, seconds; 0 without an impression', flagged('is_impression', 'presence_ms')),
  number('IS_GLANCE', '1 if glance else 0', 'is_glance'),
  decimal('DURATION_GLANCE', 'watch time, seconds; 0 without a glance', flagged('is_glance', 'watch_ms')),
  number('IS_VIEW', '1 if view else 0', 'is_view'),
  decimal('DURATION_VIEW', 'watch time, seconds; 0 without a view', flagged('is_view', 'watch_ms')),
  number('IS_VIEW_THROUGH', '1 if view-through else 0', 'is_view_through'),
  decimal(
    'DURATION_VIEW_THROUGH',
    'watch time, seconds; 0 without a view-through',
    flagged('is_view_through', 'watch_ms'),
  ),
  number('IS_WATCHED', '1 if watched else 0', 'is_watched'),
  ...networkColumns,
  ...placeColumns,
  number('FEEDER_ID', 'feeder id', knownId('feeder_id')),
  string('FEEDER_NAME', 'feeder name', dictionaryValue('feeders', 'name', 'feeder_id')),
  string('SUBSCRIPTION_NAME', 'subscription name', dictionaryValue('campaigns', 'subscription_name', campaign)),
  siteZoneColumn,
  string('DEVICE_TZ', 'device timezone', knownText('device_tz')),
  string('TIME_RANGE_SITE_TZ', 'time range label', hourRange('ts', siteZone)),
  string('MONTH', 'month label', label('%Y-%m', 'ts', siteZone)),
  date('DT_ONLY_SITE_TZ', 'date in site timezone', label('%Y-%m-%d', 'ts', siteZone)),
  ...hourAndDayColumns,
  boolean('IS_BUSINESSHOUR', 'true if within business hours', nullable(`CAST(is_business_hour, 'Nullable(Bool)')`)),
  utcTimestamp('SILVER_STAGE_TIMESTAMP', 'silver stage processing time', 'projected_at'),
  utcTimestamp('STREAM_STAGE_TIMESTAMP', 'stream stage processing time', 'recorded_at'),
  string('SF_DELTA_ID', 'warehouse delta id: the newest of DELTA_ID', 'toString(greatest(play_pos, detection_pos))'),
];

export const coffeeDataset: Dataset = {
  name: 'coffee',
  about:
    'Campaign-level audience and engagement: one row per play and detection, or one row per play without a detection.',
  table: coffee,
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
