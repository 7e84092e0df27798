import { defineTable, field } from '@popsvc/platform/clickhouse';
import { id, instant, network, source, text, vendor, word } from './fields.js';
const fields = {
  network_id: network,
  vendor,
  detection_id: text("The vendor's id of the detection."),
  revision: field('UInt64', 'A higher one supersedes.'),
  ...source,
  device_id: id('Device that saw it'),
  feeder_id: id('Feeder that saw it'),
  camera_id: id('Camera that saw it'),
  watcher_id: field('Int64', 'Person as the vendor numbers it.'),
  reid: text('Re-identification token; empty when not sent.'),
  started_at: instant('Start of the detection.'),
  ended_at: instant('End of the detection.'),
  gender: word('In our vocabulary.'),
  age: text('As sent; empty when not sent.'),
  age_category: word('In our vocabulary.'),
  mood: word('In our vocabulary.'),
  distance: field('Array(Float64)', 'Metres.'),
  watch_starts: field("Array(DateTime64(3, 'UTC'))", 'Starts of the looks: sorted, overlapping ones joined.'),
  watch_ends: field("Array(DateTime64(3, 'UTC'))", 'Ends of the looks.'),
  population: word('VIEWER, FOOTFALL or VEHICLE.'),
};
const detectionTable = (name, reader) =>
  defineTable({
    name,
    about: `Detections as devices reported them, for ${reader}; of one (network, vendor, detection_id) the highest (revision, pos) stands.`,
    orderBy: ['network_id', 'vendor', 'detection_id', 'revision', 'pos'],
    day: 'started_at',
    replacing: {},
    indexes: { by_pos: 'pos TYPE minmax GRANULARITY 1' },
    granularity: 1024,
    fields,
  });
export const detections = detectionTable('detections', 'coffee');
export const observations = detectionTable('observations', 'watcher-summary');
/** Which detections a device made in each span of five minutes; of one time together, as plays are. */
export const detectionSpans = defineTable({
  name: 'detection_spans',
  about: 'Versions of detections by device and five-minute span; a look-up for projecting, not for reports.',
  orderBy: ['network_id', 'span', 'device_id', 'vendor', 'detection_id', 'started_at', 'ended_at'],
  day: 'started_at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    device_id: id('Device that saw it'),
    span: field('UInt32', 'Five minutes since 1970, counted.'),
    vendor,
    detection_id: text("The vendor's id of the detection."),
    started_at: instant('Start of the detection.'),
    ended_at: instant('End of the detection.'),
  },
});
//# sourceMappingURL=detections.table.js.map
