import { AGE_CATEGORIES, GENDERS, MOODS } from '@popsvc/contracts/vocabulary';
import { compressed, defineTable, field, incidental } from '@popsvc/platform/clickhouse';
import {
  byMonth,
  flag,
  id,
  instant,
  milliseconds,
  network,
  oneOf,
  sequence,
  derivedRow,
  text,
  vendor,
  word,
} from '../declarations/fields.ts';
import { defineHistory } from '../declarations/history.ts';
import { pageFields } from '../declarations/packed-row.ts';

const fields = {
  network_id: network,
  ts: instant('Start of the detection; reports sort and page on it.'),
  number: field('UInt64', '53 bits made of (network, vendor, detection_id).'),
  vendor,
  detection_id: compressed('ZSTD(1)', text("The vendor's id of the detection.")),
  device_id: id('Device'),
  location_id: id('Location'),
  site_id: id('Site'),
  site_tz: word('Zone of the site.'),
  feeder_id: id('Feeder'),
  camera_id: id('Camera'),
  watcher_id: field('Int64', 'Person as the vendor numbers it.'),
  gender: oneOf(GENDERS),
  age_category: oneOf(AGE_CATEGORIES),
  mood: oneOf(MOODS),
  population: word('VIEWER, FOOTFALL or VEHICLE.'),
  detection_ms: milliseconds('Length of the detection'),
  watch_ms: milliseconds('Watching'),
  is_watcher: flag('1 when the person looked.'),
  detection_pos: sequence('The detection'),
  recorded_at: instant('When the detection was appended.'),
  projected_at: incidental(instant('When the row was projected.')),
  ...derivedRow,
};

export const watcherSummaryPage = pageFields(fields, {
  own: [],
  packed: [
    'device_id',
    'location_id',
    'site_id',
    'site_tz',
    'feeder_id',
    'camera_id',
    'watcher_id',
    'gender',
    'age_category',
    'mood',
    'detection_ms',
    'watch_ms',
    'is_watcher',
  ],
});

export const watcherSummary = defineTable({
  name: 'watcher_summary',
  about: 'Detections with place, duration and watch time: one row per detection.',
  orderBy: ['network_id', 'ts', 'number'],
  partitionBy: byMonth('ts'),
  day: 'ts',
  replacing: { version: 'version', deleted: 'is_deleted' },
  indexes: { by_version: 'version TYPE minmax GRANULARITY 1' },
  granularity: 1024,
  fields,
  materialized: watcherSummaryPage.materialized,
});

export const watcherSummaryHistory = defineHistory(watcherSummary);
