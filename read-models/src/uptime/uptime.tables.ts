import { defineTable, defineView, field, type ViewField } from '@popsvc/platform/clickhouse';
import { byMonth, id, instant, network, source, vendor, word } from '../declarations/fields.ts';

/** The heartbeats of one app in a time window are adjacent rows. Status queries of all devices read `device_liveness` instead. */
export const heartbeats = defineTable({
  name: 'heartbeats',
  about: 'Heartbeats of devices, of apps on devices and of feeders, as sent; a backfilled heartbeat has an older `at`.',
  orderBy: ['network_id', 'device_id', 'feeder_id', 'app', 'at', 'pos'],
  partitionBy: byMonth('at'),
  day: 'at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    device_id: id('Device of the heartbeat, its own or that of an app on it'),
    feeder_id: id('Feeder of the heartbeat'),
    app: word('App on the device; empty for a heartbeat of a device or feeder.'),
    state: word('running or stopped; empty without an app.'),
    at: instant('Time of the heartbeat.'),
    ...source,
  },
});

export const intervals = defineTable({
  name: 'intervals',
  about:
    'Intervals of apps on devices, every version; the view current_intervals has the current version of each (network, device, app, started_at).',
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
    ended_at: field("Nullable(DateTime64(3, 'UTC'))", 'End; null while the interval lasts.'),
    last_heartbeat_at: field(
      "Nullable(DateTime64(3, 'UTC'))",
      'Last heartbeat of the app in the interval; null without one.',
    ),
    revision: field('UInt64', 'Between otherwise equal versions the higher revision wins.'),
    ...source,
  },
});

type IntervalField = keyof typeof intervals.fields;

/**
 * A closed interval ranks above an open one, and open ones rank by their last heartbeat. The revision breaks ties, then the position in the
 * log.
 */
const rank = `(r.ended_at IS NOT NULL,
  if(r.ended_at IS NULL, ifNull(toUnixTimestamp64Milli(r.last_heartbeat_at), -1), 0), r.revision, r.pos)`;

const keyField = (name: IntervalField): ViewField => ({ ...intervals.fields[name], sql: `r.${name}` });
/** The tuple is needed because argMax ignores null values. */
const currentField = (name: IntervalField): ViewField => ({
  ...intervals.fields[name],
  sql: `tupleElement(argMax(tuple(r.${name}), ${rank}), 1)`,
});

/** test/src/oracle/uptime.ts is the reference model. */
export const currentIntervals = defineView({
  name: 'current_intervals',
  about: 'Intervals of apps on devices: the current version of each (network, device, app, started_at).',
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
