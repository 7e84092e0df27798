import { watcherSummary } from '../tables/index.js';
import { AGE_CATEGORIES, GENDERS, MOODS } from '@popsvc/contracts/vocabulary';
import { float, number, string, timestamp } from './column.js';
import { known, label, local, look, percent, seconds } from './sql.js';
const camera = `if(camera_id > 0, camera_id, ifNull(${look('feeders', 'only_camera_id', 'feeder_id')}, 0))`;
const tz = 'site_tz';
const columns = [
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
  string('SITE_NAME', 'site name', look('sites', 'name', 'site_id')),
  number('LOCATION_ID', 'location id', known('location_id')),
  string('LOCATION_NAME', 'location name', look('locations', 'name', 'location_id')),
  number('DEVICE_ID', 'device id', known('device_id')),
  string('DEVICE_NAME', 'device name', look('devices', 'name', 'device_id')),
  number('CAM_ID', 'camera id', known(camera)),
  string('CAMERA_NAME', 'camera name', look('cameras', 'name', camera)),
];
export const watcherSummaryDataset = {
  name: 'watcher-summary',
  about: 'Watcher observations: one row a detection, observed at its start.',
  table: watcherSummary,
  columns,
};
//# sourceMappingURL=watcher-summary.dataset.js.map
