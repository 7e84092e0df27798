import { watcherSummary } from './watcher-summary.table.ts';
import { AGE_CATEGORIES, GENDERS, MOODS } from '@popsvc/contracts/vocabulary';
import { type Dataset, type DatasetColumn, float, number, string, timestamp } from '../declarations/dataset.ts';
import { known, label, local, dictionaryValue, percent, seconds } from '../declarations/dataset-sql.ts';

const camera = `if(camera_id > 0, camera_id, ifNull(${dictionaryValue('feeders', 'only_camera_id', 'feeder_id')}, 0))`;
const tz = 'site_tz';

const columns: readonly DatasetColumn[] = [
  number('WATCHERID', 'person as the vendor numbers it', 'watcher_id'),
  string('GENDER', 'detected gender', 'toString(gender)', GENDERS),
  string('AGE_CATEGORY', 'detected age category', 'toString(age_category)', AGE_CATEGORIES),
  string('MOOD', 'detected mood', 'toString(mood)', MOODS),
  timestamp('SITE_TIMESTAMP_SITE_TZ', 'observation timestamp, site timezone', local('ts', tz)),
  string('SITE_TZ', 'site timezone', 'toString(site_tz)'),
  string('HOUR_SITE_TZ', 'hour label', label('%H', 'ts', tz)),
  string('DAY_SITE_TZ', 'day label', label('%W', 'ts', tz)),
  number('IS_WATCHER', '1 if watcher detected else 0', 'is_watcher'),
  float('DURATION', 'detection duration, seconds', seconds('detection_ms')),
  number('ATTENTION', '0-100', percent('watch_ms', 'detection_ms')),
  number('SITE_ID', 'site id', known('site_id')),
  string('SITE_NAME', 'site name', dictionaryValue('sites', 'name', 'site_id')),
  number('LOCATION_ID', 'location id', known('location_id')),
  string('LOCATION_NAME', 'location name', dictionaryValue('locations', 'name', 'location_id')),
  number('DEVICE_ID', 'device id', known('device_id')),
  string('DEVICE_NAME', 'device name', dictionaryValue('devices', 'name', 'device_id')),
  number('CAM_ID', 'camera id', known(camera)),
  string('CAMERA_NAME', 'camera name', dictionaryValue('cameras', 'name', camera)),
];

export const watcherSummaryDataset: Dataset = {
  name: 'watcher-summary',
  about: 'Watcher observations: one row per detection, at its start.',
  table: watcherSummary,
  columns,
};
