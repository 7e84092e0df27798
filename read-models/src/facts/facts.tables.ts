import { AGE_CATEGORIES, GENDERS, MOODS, PLAY_REASONS } from '@popsvc/contracts/vocabulary';
import { defineTable, field, incidental, type TableDefinition } from '@popsvc/platform/clickhouse';
import {
  id,
  instant,
  milliseconds,
  network,
  oneOf,
  sequence,
  replacing,
  source,
  text,
  vendor,
  word,
} from '../declarations/fields.ts';

export const plays = defineTable({
  name: 'plays',
  about: 'Receipts of plays; the lowest pos of each (network, vendor, event_id) is the play.',
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
    content_hash: field(
      'FixedString(32)',
      'SHA-256 of the canonical form as RFC 8785 JSON: another hash under the same id is a conflict.',
    ),
    screen_id: text('Screen as the vendor names it.'),
    site_ref: text('Site as the vendor names it; empty when not sent.'),
    campaign_ref: text('Campaign as the vendor names it.'),
    creative_ref: text('Creative as the vendor names it.'),
    played_at: instant('Start of the play.'),
    duration_ms: milliseconds('Length of the play'),
    play_reason: oneOf(PLAY_REASONS),
    late: field('UInt8', '1 when received more than 14 days after the play.'),
    clock_ahead: field('UInt8', '1 when the play starts more than 60 s after its receipt.'),
    payload: text('Vendor impressions, context and device as JSON.'),
    schema_version: word("The vendor's own schema of the event; empty for the canonical schema."),
    job_id: text('Bulk job of the event; empty for an event of the API.'),
    job_row: field('UInt64', 'Row of the file, from 1; 0 for an event of the API.'),
    // Rows that former releases wrote lack `local_zone` and `zone_version`.
    local_zone: incidental(
      word('Time zone of a start sent as local time; empty if it was sent in UTC or with an offset.'),
    ),
    zone_version: incidental(word('Version of the time zone data that converted a start sent as local time.')),
  },
});

/** Index tables such as `play_spans` number spans of this length since 1970. */
export const spanMs = 300_000;

/**
 * Finds the plays that overlap a detection, however long the plays are. The span precedes the screen in the sort key, because a batch looks
 * up many screens that are close in time.
 */
export const playSpans = defineTable({
  name: 'play_spans',
  about: 'Receipts of plays by screen and five-minute span; an index for projections, not for reports.',
  orderBy: ['network_id', 'span', 'screen_id', 'vendor', 'event_id', 'played_at', 'ended_at'],
  day: 'played_at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    screen_id: text('Screen as the vendor names it.'),
    span: field('UInt32', 'Number of the five-minute span since 1970.'),
    vendor,
    event_id: text("The vendor's id of the play."),
    played_at: instant('Start of the play.'),
    ended_at: instant('End of the play.'),
    // Rows that former releases wrote lack this time.
    recorded_at: incidental(instant('When a receipt of the play was appended to the log.')),
  },
});

const fields = {
  network_id: network,
  vendor,
  detection_id: text("The vendor's id of the detection."),
  revision: field('UInt64', 'A higher revision replaces a lower one.'),
  ...source,
  device_id: id('Device that saw it'),
  feeder_id: id('Feeder that saw it'),
  camera_id: id('Camera that saw it'),
  watcher_id: field('Int64', 'Person as the vendor numbers it.'),
  reid: text('Re-identification token; empty when not sent.'),
  started_at: instant('Start of the detection.'),
  ended_at: instant('End of the detection.'),
  gender: oneOf(GENDERS),
  age: text('As sent; empty when not sent.'),
  age_category: oneOf(AGE_CATEGORIES),
  mood: oneOf(MOODS),
  distance: field('Array(Float64)', 'Metres.'),
  watch_starts: field("Array(DateTime64(3, 'UTC'))", 'Starts of the watch periods: sorted, overlapping ones joined.'),
  watch_ends: field("Array(DateTime64(3, 'UTC'))", 'Ends of the watch periods.'),
  population: word('VIEWER, FOOTFALL or VEHICLE.'),
};

const detectionTable = <const Name extends string>(name: Name, reader: string) =>
  defineTable({
    name,
    about: `Detections as devices reported them, for ${reader}; of one (network, vendor, detection_id) the highest (revision, pos) is current.`,
    orderBy: ['network_id', 'vendor', 'detection_id', 'revision', 'pos'],
    day: 'started_at',
    replacing: {},
    indexes: { by_pos: 'pos TYPE minmax GRANULARITY 1' },
    granularity: 1024,
    fields,
  } satisfies TableDefinition);

export const detections = detectionTable('detections', 'coffee');
export const observations = detectionTable('observations', 'watcher-summary');

/** The span precedes the device in the sort key, because a batch looks up many devices that are close in time. */
export const detectionSpans = defineTable({
  name: 'detection_spans',
  about: 'Versions of detections by device and five-minute span; an index for projections, not for reports.',
  orderBy: ['network_id', 'span', 'device_id', 'vendor', 'detection_id', 'started_at', 'ended_at'],
  day: 'started_at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    device_id: id('Device that saw it'),
    span: field('UInt32', 'Number of the five-minute span since 1970.'),
    vendor,
    detection_id: text("The vendor's id of the detection."),
    started_at: instant('Start of the detection.'),
    ended_at: instant('End of the detection.'),
  },
});

/**
 * The `pop_type` of a play without a detection is NONE if a feeder of the device was online, else UNMEASURED. The span precedes the feeder
 * in the sort key, because a batch looks up many feeders that are close in time.
 */
export const feederHeartbeats = defineTable({
  name: 'feeder_heartbeats',
  about: 'Heartbeats of feeders by five-minute span; an index for projections, not for reports.',
  orderBy: ['network_id', 'span', 'feeder_id', 'at', 'pos'],
  day: 'at',
  replacing: {},
  indexes: { by_pos: 'pos TYPE minmax GRANULARITY 1' },
  granularity: 1024,
  fields: {
    network_id: network,
    span: field('UInt32', 'Number of the five-minute span since 1970.'),
    feeder_id: id('Feeder of the heartbeat'),
    at: instant('Time of the heartbeat.'),
    pos: sequence('The item'),
    reach_from: incidental(
      instant(
        'Plays that end later and begin at most five minutes after `at` were recomputed for this heartbeat; an earlier heartbeat covers plays before.',
      ),
    ),
  },
});

/**
 * A tombstone keeps the old device, because the plays on that device must be recomputed too. The sort key therefore includes the device.
 */
export const feederPlaces = defineTable({
  name: 'feeder_places',
  about: 'Device of a feeder, by beginning of validity.',
  orderBy: ['network_id', 'feeder_id', 'valid_from', 'device_id'],
  replacing: { version: 'version', deleted: 'is_deleted' },
  granularity: 1024,
  fields: {
    network_id: network,
    feeder_id: id('Feeder'),
    valid_from: instant('Beginning of validity; it ends at the next row of the same feeder.'),
    device_id: field('UInt64', 'Device; 0 while the feeder was retired.'),
    ...replacing,
  },
});
