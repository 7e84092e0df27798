import { defineTable, field } from './define-table.ts';
import { flag, id, instant, milliseconds, network, position, replacing, text, vendor, word } from './fields.ts';

/** What the dataset `watcher-summary` is read from: one row a detection. */
export const watcherSummary = defineTable({
  name: 'watcher_summary',
  about: 'Who was detected, where and when, and how much they looked: one row a detection.',
  orderBy: ['network_id', 'ts', 'number'],
  partitionBy: 'toYYYYMM(ts)',
  replacing: { version: 'version', deleted: 'is_deleted' },
  granularity: 2048,
  fields: {
    network_id: network,
    ts: instant('Start of the detection; reports sort and page on it.'),
    number: field('UInt64', '53 bits made of (network, vendor, detection_id).'),
    vendor,
    detection_id: text("The vendor's id of the detection."),
    device_id: id('Device'),
    location_id: id('Location'),
    site_id: id('Site'),
    site_tz: word('Zone of the site.'),
    feeder_id: id('Feeder'),
    camera_id: id('Camera'),
    watcher_id: field('Int64', 'Person as the vendor numbers it.'),
    gender: word('In our vocabulary.'),
    age_category: word('In our vocabulary.'),
    mood: word('In our vocabulary.'),
    population: word('VIEWER, FOOTFALL or VEHICLE.'),
    detection_ms: milliseconds('Length of the detection'),
    watch_ms: milliseconds('Watching'),
    is_watcher: flag('1 when the person looked.'),
    detection_pos: position('The detection'),
    recorded_at: instant('When the detection was appended.'),
    projected_at: instant('When the row was made.'),
    ...replacing,
  },
});
