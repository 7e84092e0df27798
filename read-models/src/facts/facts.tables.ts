import { defineTable, field, incidental, type TableDefinition } from '@popsvc/platform/clickhouse';
import {
  id,
  instant,
  milliseconds,
  network,
  position,
  replacing,
  source,
  text,
  vendor,
  word,
} from '../declarations/fields.ts';

/** Every receipt of a play is kept, so that duplicates and conflicts can be told; the first in the log is the play. */
export const plays = defineTable({
  name: 'plays',
  about: 'Plays as vendors reported them, each receipt once; of one (network, vendor, event_id) the lowest pos stands.',
  orderBy: ['network_id', 'vendor', 'event_id', 'pos'],
  day: 'played_at',
  replacing: {},
  indexes: { by_pos: 'pos TYPE minmax GRANULARITY 1' },
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    event_id: text("The vendor's id of the play."),
    ...source,
    content_hash: text('Hash of the canonical form: another one under the same id is a conflict.'),
    screen_id: text('Screen as the vendor names it.'),
    site_ref: text('Site as the vendor names it; empty when not sent.'),
    campaign_ref: text('Campaign as the vendor names it.'),
    creative_ref: text('Creative as the vendor names it.'),
    played_at: instant('Start of the play.'),
    duration_ms: milliseconds('Length of the play'),
    play_reason: word('Reason in our vocabulary.'),
    late: field('UInt8', '1 when received more than 14 days after the play.'),
    clock_ahead: field('UInt8', '1 when the play starts more than 60 s after its receipt.'),
    payload: text('Vendor impressions, context and device as JSON.'),
    schema_version: word("The vendor's own schema it was sent in; empty for the canonical one."),
    job_id: text('Bulk job it came with; empty for one that was pushed.'),
    job_row: field('UInt64', 'Row of the file, from 1; 0 for one that was pushed.'),
  },
});

/**
 * Which plays a screen showed in each span of five minutes, so that a detection finds them whatever their length. The span
 * comes before the screen: a batch asks for many screens of one time, which so lie together however long the past is.
 */
export const playSpans = defineTable({
  name: 'play_spans',
  about: 'Receipts of plays by screen and five-minute span; a look-up for projecting, not for reports.',
  orderBy: ['network_id', 'span', 'screen_id', 'vendor', 'event_id', 'played_at', 'ended_at'],
  day: 'played_at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    screen_id: text('Screen as the vendor names it.'),
    span: field('UInt32', 'Five minutes since 1970, counted.'),
    vendor,
    event_id: text("The vendor's id of the play."),
    played_at: instant('Start of the play.'),
    ended_at: instant('End of the play.'),
  },
});

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

const detectionTable = <const Name extends string>(name: Name, reader: string) =>
  defineTable({
    name,
    about: `Detections as devices reported them, for ${reader}; of one (network, vendor, detection_id) the highest (revision, pos) stands.`,
    orderBy: ['network_id', 'vendor', 'detection_id', 'revision', 'pos'],
    day: 'started_at',
    replacing: {},
    indexes: { by_pos: 'pos TYPE minmax GRANULARITY 1' },
    granularity: 1024,
    fields,
  } satisfies TableDefinition);

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

/**
 * When feeders were heard: of a play nobody was seen at it tells NONE from UNMEASURED. By span before feeder, since plays of
 * one time ask for many feeders of one time.
 */
export const feederHeartbeats = defineTable({
  name: 'feeder_heartbeats',
  about: 'Heartbeats of feeders by five-minute span; a look-up for projecting, not for reports.',
  orderBy: ['network_id', 'span', 'feeder_id', 'at', 'pos'],
  day: 'at',
  replacing: {},
  indexes: { by_pos: 'pos TYPE minmax GRANULARITY 1' },
  granularity: 1024,
  fields: {
    network_id: network,
    span: field('UInt32', 'Five minutes since 1970, counted.'),
    feeder_id: id('Feeder that was heard'),
    at: instant('When it was alive.'),
    pos: position('The event'),
    reach_from: incidental(
      instant(
        'Plays that end later, and begin at most five minutes after `at`, were computed again when it came; those before had been heard of.',
      ),
    ),
  },
});

/** The device is part of the key: a segment that names another one leaves a tombstone, by which the plays of both are found. */
export const feederPlaces = defineTable({
  name: 'feeder_places',
  about: 'Which device a feeder belonged to, from when on.',
  orderBy: ['network_id', 'feeder_id', 'valid_from', 'device_id'],
  replacing: { version: 'version', deleted: 'is_deleted' },
  granularity: 1024,
  fields: {
    network_id: network,
    feeder_id: id('Feeder'),
    valid_from: instant('From when this holds, until the next row of the same feeder.'),
    device_id: field('UInt64', 'Device; 0 while the feeder was retired.'),
    ...replacing,
  },
});
