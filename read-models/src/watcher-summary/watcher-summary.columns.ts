import { watcherSummary } from './watcher-summary.table.ts';
import { AGE_CATEGORIES, GENDERS, MOODS } from '@popsvc/contracts/vocabulary';
import { type Dataset, type DatasetColumn, float, number, string } from '../declarations/dataset.ts';
import { dictionaryValue, knownId, percent, seconds } from '../declarations/dataset-sql.ts';
import {
  hourAndDayColumns,
  networkColumns,
  placeColumns,
  placeHierarchy,
  siteZone,
  siteZoneColumn,
} from '../declarations/shared-columns.ts';
import { timestamp } from '../declarations/time-columns.ts';

const camera = `if(camera_id > 0, camera_id, ifNull(${dictionaryValue('feeders', 'only_camera_id', 'feeder_id').nullable}, 0))`;

const columns: readonly DatasetColumn[] = [
  number('WATCHERID', 'person as the vendor numbers it', 'watcher_id'),
  string('GENDER', 'detected gender', 'toString(gender)', GENDERS),
  string('AGE_CATEGORY', 'detected age category', 'toString(age_category)', AGE_CATEGORIES),
  string('MOOD', 'detected mood', 'toString(mood)', MOODS),
  timestamp('SITE_TIMESTAMP_SITE_TZ', 'observation timestamp, site timezone', 'ts', siteZone),
  siteZoneColumn,
  ...hourAndDayColumns,
  number('IS_WATCHER', '1 if watcher detected else 0', 'is_watcher'),
  float('DURATION', 'detection duration, seconds', seconds('detection_ms')),
  number('ATTENTION', '0-100', percent('watch_ms', 'detection_ms')),
  ...placeColumns,
  number('CAM_ID', 'camera id', knownId(camera)),
  string('CAMERA_NAME', 'camera name', dictionaryValue('cameras', 'name', camera)),
];

export const watcherSummaryDataset: Dataset = {
  name: 'watcher-summary',
  about: 'Watcher observations: one row per detection, at its start.',
  table: watcherSummary,
  columns,
  typedOnlyColumns: networkColumns,
  hierarchies: [placeHierarchy({ name: 'camera', key: 'CAM_ID', label: 'CAMERA_NAME' })],
};
