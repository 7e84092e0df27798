import { watcherSummary } from '../tables/index.ts';
import { ofLocalTime, ofNetwork, ofPlace, ofVendor } from './columns.ts';
import { as, column, defineAnalystView, dictionaryValue, ownRows } from './define-analyst-view.ts';

const camera = `if(r.camera_id > 0, r.camera_id, ifNull(${dictionaryValue('feeders', 'only_camera_id', 'r.feeder_id')}, 0))`;

export const watchers = defineAnalystView({
  name: 'watchers',
  about:
    'One row a detection, whether or not anything was played: who was in front of a device, for how long, and how much they looked. People are counted by uniqExact(watcher_id), for a person may be detected several times.',
  from: `${ownRows(watcherSummary)} AS r`,
  columns: {
    ...ofNetwork,
    ...ofVendor,
    detection_id: as(watcherSummary, 'detection_id'),
    seen_at: as(watcherSummary, 'ts', 'r.ts', 'Start of the detection (UTC); ask for a stretch of it, that is quick.'),
    ...ofLocalTime('r.ts', 'r.site_tz'),
    ...ofPlace({ device: 'r.device_id', location: 'r.location_id', site: 'r.site_id' }),
    camera_id: column('Nullable(UInt64)', 'Camera; null while unknown.', `nullIf(${camera}, 0)`),
    camera: column('Nullable(String)', 'Camera as it is called now.', dictionaryValue('cameras', 'name', camera)),
    population: as(
      watcherSummary,
      'population',
      'r.population',
      'VIEWER, FOOTFALL or VEHICLE; leave VEHICLE out to count people.',
    ),
    watcher_id: as(
      watcherSummary,
      'watcher_id',
      'r.watcher_id',
      'Person as the vendor numbers it: count people by it.',
    ),
    gender: as(watcherSummary, 'gender'),
    age_category: as(watcherSummary, 'age_category'),
    mood: as(watcherSummary, 'mood'),
    dwell_seconds: column('Float64', 'Length of the detection, seconds.', 'r.detection_ms / 1000'),
    watch_seconds: column('Float64', 'Watching, seconds.', 'r.watch_ms / 1000'),
    looked: as(watcherSummary, 'is_watcher'),
  },
});
