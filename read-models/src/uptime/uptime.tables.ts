import { defineTable, defineView, field, type ViewField } from '@popsvc/platform/clickhouse';
import { byMonth, id, instant, network, source, vendor, word } from '../declarations/fields.ts';

/**
 * By who was heard before when: the uptime of an app in a window is one stretch of rows. A question to all devices at once
 * reads everything, so what is asked of all (who is online now) wants a table of its own.
 */
export const heartbeats = defineTable({
  name: 'heartbeats',
  about:
    'Heartbeats of devices, of apps on them and of feeders, each as it was told; a backfilled one has an older `at`.',
  orderBy: ['network_id', 'device_id', 'feeder_id', 'app', 'at', 'pos'],
  partitionBy: byMonth('at'),
  day: 'at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    device_id: id('Device that was heard, itself or an app on it'),
    feeder_id: id('Feeder that was heard'),
    app: word('App on the device; empty when the device or a feeder was heard.'),
    state: word('running or stopped; empty when no app was heard.'),
    at: instant('When it was alive.'),
    ...source,
  },
});

export const intervals = defineTable({
  name: 'intervals',
  about:
    'How long apps on devices were in one state, each telling kept; which of one (network, device, app, started_at) stands, current_intervals says.',
  orderBy: ['network_id', 'device_id', 'app', 'started_at', 'pos'],
  day: 'started_at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    device_id: id('Device'),
    app: word('App on the device.'),
    state: word('running or stopped.'),
    started_at: instant('Start.'),
    ended_at: field("Nullable(DateTime64(3, 'UTC'))", 'End; null while it lasts.'),
    last_heartbeat_at: field(
      "Nullable(DateTime64(3, 'UTC'))",
      'When the app was last heard in it; null when it was not.',
    ),
    revision: field('UInt64', 'Among equals a higher one supersedes.'),
    ...source,
  },
});

type IntervalField = keyof typeof intervals.fields;

/**
 * The greatest stands (decisions 4.7): closed beats open; among open ones the later last heartbeat, one without the least;
 * then, and among closed ones at once, the higher revision, then the later in the log.
 */
const rank = `(r.ended_at IS NOT NULL,
  if(r.ended_at IS NULL, ifNull(toUnixTimestamp64Milli(r.last_heartbeat_at), -1), 0), r.revision, r.pos)`;

const keyField = (name: IntervalField): ViewField => ({ ...intervals.fields[name], sql: `r.${name}` });
/** In a tuple, since argMax passes over rows whose value is null. */
const currentField = (name: IntervalField): ViewField => ({
  ...intervals.fields[name],
  sql: `tupleElement(argMax(tuple(r.${name}), ${rank}), 1)`,
});

/** Of every interval the telling that stands; the domain's supersedeInterval is its specification. */
export const currentIntervals = defineView({
  name: 'current_intervals',
  about:
    'How long apps on devices were in one state: of each (network, device, app, started_at) the telling that stands.',
  over: intervals,
  groupBy: ['network_id', 'device_id', 'app', 'started_at'],
  fields: {
    network_id: keyField('network_id'),
    device_id: keyField('device_id'),
    app: keyField('app'),
    started_at: keyField('started_at'),
    vendor: currentField('vendor'),
    state: currentField('state'),
    ended_at: currentField('ended_at'),
    last_heartbeat_at: currentField('last_heartbeat_at'),
    revision: currentField('revision'),
    pos: currentField('pos'),
    received_at: currentField('received_at'),
    recorded_at: currentField('recorded_at'),
  },
});
