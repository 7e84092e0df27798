import { AGE_CATEGORIES, GENDERS, MOODS } from '@popsvc/contracts/vocabulary';
import { type Dataset, type DatasetColumn, float, number, string } from '../declarations/dataset.ts';
import {
  hourAndDayColumns,
  networkColumns,
  placeColumns,
  placeHierarchy,
  siteZoneColumn,
} from '../declarations/shared-columns.ts';
import { timestamp } from '../declarations/time-columns.ts';
import { attribute, type Id, knownId, percent, seconds, whole, word } from '../declarations/values.ts';
import { watcherSummary, watcherSummaryHistory, watcherSummaryPage } from './watcher-summary.table.ts';

const { fields } = watcherSummaryPage;
const { camera_id: cameraId, watch_ms: watchMs, detection_ms: detectionMs } = fields;

const onlyCamera = attribute('feeders', 'only_camera_id', fields.feeder_id);

const camera: Id = {
  sql: `if(camera_id > 0, camera_id, ifNull(${onlyCamera.sql}, 0))`,
  text: (row, names) => {
    const [own, only] = [cameraId.text(row), onlyCamera.render(row, names)];
    if (own !== '0') return own;
    return only === 'null' ? '0' : only;
  },
};

const columns: readonly DatasetColumn[] = [
  number('WATCHERID', 'person as the vendor numbers it', whole(fields.watcher_id)),
  string('GENDER', 'detected gender', word(fields.gender), GENDERS),
  string('AGE_CATEGORY', 'detected age category', word(fields.age_category), AGE_CATEGORIES),
  string('MOOD', 'detected mood', word(fields.mood), MOODS),
  timestamp(
    'SITE_TIMESTAMP_SITE_TZ',
    'observation timestamp, site timezone: start of the detection',
    fields.ts,
    fields.site_tz,
  ),
  siteZoneColumn(fields),
  ...hourAndDayColumns(fields),
  number('IS_WATCHER', '1 if the person looked at the screen during the detection; 0 if not', whole(fields.is_watcher)),
  float('DURATION', 'length of the detection, seconds', seconds(detectionMs)),
  number('ATTENTION', 'watch time in percent of the detection, 0-100', percent(watchMs, detectionMs)),
  ...placeColumns(fields),
  number('CAM_ID', 'camera id', knownId(camera)),
  string('CAMERA_NAME', 'camera name', attribute('cameras', 'name', camera)),
];

export const watcherSummaryDataset: Dataset = {
  name: 'watcher-summary',
  about: 'Watcher observations: one row per detection, at its start.',
  time: 'start of the detection (SITE_TIMESTAMP_SITE_TZ)',
  table: watcherSummary,
  history: watcherSummaryHistory,
  page: watcherSummaryPage,
  columns,
  typedOnlyColumns: networkColumns,
  hierarchies: [placeHierarchy({ name: 'camera', key: 'CAM_ID', label: 'CAMERA_NAME' })],
};
