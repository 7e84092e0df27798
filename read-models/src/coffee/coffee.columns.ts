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
  number,
  string,
  texts,
  timestamp,
} from '../declarations/dataset.ts';
import {
  hourRange,
  known,
  label,
  local,
  locals,
  dictionaryValue,
  percent,
  said,
  seconds,
  utc,
} from '../declarations/dataset-sql.ts';

const campaign = '(network_id, campaign_ref)';
const creative = '(network_id, creative_ref)';
const tz = 'site_tz';

/** Null for a row without a detection. */
const seen = (sql: string) => `if(detection_id = '', NULL, ${sql})`;
const seenArray = (sql: string, of: string) => `CAST(${seen(sql)}, 'Variant(Array(${of}))')`;
const flagged = (flag: string, milliseconds: string) => seconds(`${flag} * ${milliseconds}`);

const columns: readonly DatasetColumn[] = [
  string('POP_TYPE', 'population type', 'toString(pop_type)', POP_TYPES),
  string('PLAY_REASON', 'reason for playback', 'toString(play_reason)', PLAY_REASONS),
  number('CAMPAIGN_ID', 'campaign id', dictionaryValue('campaigns', 'campaign_id', campaign)),
  string('CAMPAIGN_NAME', 'campaign name', dictionaryValue('campaigns', 'name', campaign)),
  number(
    'TARGET_STRATEGY_ID',
    'targeting strategy id',
    `coalesce(${dictionaryValue('creatives', 'strategy_id', creative)}, ${dictionaryValue('campaigns', 'strategy_id', campaign)})`,
  ),
  string(
    'STRATEGY_NAME',
    'targeting strategy name',
    `coalesce(${dictionaryValue('creatives', 'strategy_name', creative)}, ${dictionaryValue('campaigns', 'strategy_name', campaign)})`,
  ),
  string('MEDIA_PLAYER_NAME', "the vendor's name", dictionaryValue('vendors', 'name', 'tuple(toString(vendor))')),
  number('DETAILID', 'detail record id', 'number'),
  string('EVENT_ID', 'event identifier', 'event_id'),
  string('TITLE', 'content title', dictionaryValue('creatives', 'title', creative)),
  string('DISPLAY_TITLE', 'content title for display', dictionaryValue('creatives', 'display_title', creative)),
  float('PLAYOUT', 'playout duration, seconds', seconds('duration_ms')),
  timestamp('DT_START_SITE_TZ', 'playout start, site timezone', local('ts', tz)),
  timestamp('DT_END_SITE_TZ', 'playout end, site timezone', local('addMilliseconds(ts, duration_ms)', tz)),
  number('WATCHERID', 'person as the vendor numbers it', seen('watcher_id')),
  texts(
    'DELTA_ID',
    'delta ids: log positions of the source events',
    `CAST(if(detection_id = '', [toString(play_pos)], [toString(play_pos), toString(detection_pos)]), 'Variant(Array(String))')`,
  ),
  timestamp(
    'SITE_TIMESTAMP_SITE_TZ',
    'site timestamp: the later of play start and detection start',
    local(`if(detection_id = '', ts, greatest(ts, detected_from))`, tz),
  ),
  texts('WATCH_TIMESTAMP_SITE_TZ_DETAILS', 'watch start timestamps', seenArray(locals('watch_starts', tz), 'String')),
  texts('WATCH_TIMESTAMP_END_SITE_TZ_DETAILS', 'watch end timestamps', seenArray(locals('watch_ends', tz), 'String')),
  timestamp('DETECTION_TIMESTAMP_SITE_TZ', 'detection start', seen(local('detected_from', tz))),
  timestamp('DETECTION_TIMESTAMP_END_SITE_TZ', 'detection end', seen(local('detected_to', tz))),
  string('REID', 're-identification token', said('reid')),
  texts('START_TIME', 'start time details', seenArray(locals('watch_starts', tz), 'String')),
  string('GENDER', 'detected gender', seen('toString(gender)'), GENDERS),
  string('AGE', 'detected age', said('age')),
  string('AGE_CATEGORY', 'detected age category', seen('toString(age_category)'), AGE_CATEGORIES),
  string('GENDER_AGE_CATEGORY', 'combined gender+age category', seen(`concat(gender, '_', age_category)`)),
  string('MOOD', 'detected mood', seen('toString(mood)'), MOODS),
  fractions(
    'DISTANCE',
    'distance measurements',
    `CAST(if(empty(distance), NULL, distance), 'Variant(Array(Float64))')`,
  ),
  number('ATTENTION', 'attention score, 0-100', seen(percent('watch_ms', 'presence_ms'))),
  float(
    'DURATION',
    'detection duration, seconds',
    seen(seconds(`dateDiff('millisecond', detected_from, detected_to)`)),
  ),
  decimal('WATCH_TIME', 'total watch time, seconds', seen(seconds('watch_ms'))),
  number('IS_IMPRESSION', '1 if impression else 0', 'is_impression'),
  decimal('DURATION_IMPRESSION', 'seconds', flagged('is_impression', 'presence_ms')),
  number('IS_GLANCE', '1 if glance else 0', 'is_glance'),
  decimal('DURATION_GLANCE', 'seconds', flagged('is_glance', 'watch_ms')),
  number('IS_VIEW', '1 if view else 0', 'is_view'),
  decimal('DURATION_VIEW', 'seconds', flagged('is_view', 'watch_ms')),
  number('IS_VIEW_THROUGH', '1 if view-through else 0', 'is_view_through'),
  decimal('DURATION_VIEW_THROUGH', 'seconds', flagged('is_view_through', 'watch_ms')),
  number('IS_WATCHED', '1 if watched else 0', 'is_watched'),
  number('NETWORK_ID', 'network id', 'network_id'),
  string('NETWORK_NAME', 'network name', dictionaryValue('networks', 'name', 'network_id')),
  number('SITE_ID', 'site id', known('site_id')),
  string('SITE_NAME', 'site name', dictionaryValue('sites', 'name', 'site_id')),
  number('LOCATION_ID', 'location id', known('location_id')),
  string('LOCATION_NAME', 'location name', dictionaryValue('locations', 'name', 'location_id')),
  number('DEVICE_ID', 'device id', known('device_id')),
  string('DEVICE_NAME', 'device name', dictionaryValue('devices', 'name', 'device_id')),
  number('FEEDER_ID', 'feeder id', known('feeder_id')),
  string('FEEDER_NAME', 'feeder name', dictionaryValue('feeders', 'name', 'feeder_id')),
  string('SUBSCRIPTION_NAME', 'subscription name', dictionaryValue('campaigns', 'subscription_name', campaign)),
  string('SITE_TZ', 'site timezone', 'toString(site_tz)'),
  string('DEVICE_TZ', 'device timezone', said('device_tz')),
  string('TIME_RANGE_SITE_TZ', 'time range label', hourRange('ts', tz)),
  string('MONTH', 'month label', label('%Y-%m', 'ts', tz)),
  date('DT_ONLY_SITE_TZ', 'date in site timezone', label('%Y-%m-%d', 'ts', tz)),
  string('HOUR_SITE_TZ', 'hour label', label('%H', 'ts', tz)),
  string('DAY_SITE_TZ', 'day label', label('%W', 'ts', tz)),
  boolean('IS_BUSINESSHOUR', 'true if within business hours', `CAST(is_business_hour, 'Nullable(Bool)')`),
  timestamp('SILVER_STAGE_TIMESTAMP', 'silver stage processing time', utc('projected_at')),
  timestamp('STREAM_STAGE_TIMESTAMP', 'stream stage processing time', utc('recorded_at')),
  string('SF_DELTA_ID', 'warehouse delta id: the newest of DELTA_ID', 'toString(greatest(play_pos, detection_pos))'),
];

export const coffeeDataset: Dataset = {
  name: 'coffee',
  about:
    'Campaign-level audience and engagement: one row per play and detection, or one row per play without a detection.',
  table: coffee,
  columns,
};
