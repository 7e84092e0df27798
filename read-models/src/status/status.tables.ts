import { onlineWindowMs } from '@popsvc/domain/status';
import { bind, defineTable, defineView, field, type Sql, sql, type ViewField } from '@popsvc/platform/clickhouse';
import { byMonth, id, instant, network, position, word } from '../declarations/fields.ts';

const subject = {
  network_id: network,
  kind: word('device or feeder.'),
  id: id('Device or feeder'),
};

/** One row each, so that who is online now costs as much as there are devices, however long they were heard. */
export const liveness = defineTable({
  name: 'device_liveness',
  about: 'When each device and feeder was last heard: the latest receipt of a heartbeat that counted.',
  orderBy: ['network_id', 'kind', 'id'],
  replacing: { version: 'version' },
  granularity: 1024,
  fields: {
    ...subject,
    last_received_at: instant('Receipt of the last heartbeat that came within 300 s of its `at`.'),
    version: field('UInt64', 'The same in milliseconds since 1970; the highest stands.'),
  },
});

export const outages = defineTable({
  name: 'outages',
  about:
    'When devices and feeders were offline, as it was recorded; what was backfilled later is in backfilled_heartbeats.',
  orderBy: ['network_id', 'kind', 'id', 'offline_at'],
  day: 'offline_at',
  replacing: { version: 'pos' },
  granularity: 1024,
  fields: {
    ...subject,
    offline_at: instant('From when on it counted as offline.'),
    online_at: field("Nullable(DateTime64(3, 'UTC'))", 'Receipt of the heartbeat that ended it; null while it lasts.'),
    pos: position('The event that told of it last'),
  },
});

export const backfilledHeartbeats = defineTable({
  name: 'backfilled_heartbeats',
  about:
    'Heartbeats that came too late to be heard in time: they say that it was alive for 300 s from then, and shorten the outage of that time.',
  orderBy: ['network_id', 'kind', 'id', 'at', 'received_at'],
  partitionBy: byMonth('at'),
  day: 'at',
  replacing: {},
  granularity: 1024,
  fields: { ...subject, at: instant('When it was alive.'), received_at: instant('When the service took it in.') },
});

/** How long a heartbeat says that something was alive; the domain's onlineMs. */
const aliveMs = 300_000;
/** In the place of the end of an outage that lasts; DateTime64 holds it. */
const never = `toDateTime64('2250-01-01 00:00:00', 3, 'UTC')`;

const later = (instant: string) => `addMilliseconds(${instant}, ${aliveMs})`;
const keys = ['network_id', 'kind', 'id'];
const key = keys.join(', ');
const ofOutage = keys.map((name) => `o.${name} AS ${name}`).join(', ');
const sameKey = keys.map((name) => `o.${name} = b.${name}`).join(' AND ');

/**
 * Recorded outages without the stretches in which backfilled heartbeats show that it was alive: what is left of each, in order.
 * All stretches are of one length, so of heartbeats in order the gap after one ends with the next.
 * `recorded` and `beats` are queries of rows of the two tables.
 */
export const effectiveOutagesSql = (recorded: string, beats: string): string => `
  SELECT ${key}, part.1 AS offline_at, nullIf(part.2, ${never}) AS online_at, recorded_offline_at AS recorded_at, cut AS backfilled
  FROM (
    SELECT ${ofOutage}, o.offline_at AS recorded_offline_at, ifNull(o.online_at, ${never}) AS ended_at,
      arraySort(groupArrayIf(b.at, b.kind != '')) AS alive,
      notEmpty(alive) AS cut,
      arrayZip(
        arrayConcat([recorded_offline_at], arrayMap(at -> ${later('at')}, alive)),
        arrayConcat(alive, [ended_at])) AS parts
    FROM (${recorded}) AS o LEFT JOIN (${beats}) AS b ON ${sameKey}
      AND b.at > addMilliseconds(o.offline_at, -${aliveMs}) AND b.at < ifNull(o.online_at, ${never})
    GROUP BY ${keys.map((name) => `o.${name}`).join(', ')}, o.offline_at, o.online_at
  )
  ARRAY JOIN arrayFilter(part -> part.1 < part.2, parts) AS part`;

const same = (name: keyof typeof outages.fields): ViewField => ({ ...outages.fields[name], sql: `r.${name}` });

/** Outages as they stand now; the domain's standingOutages is their specification. */
export const effectiveOutages = defineView({
  name: 'effective_outages',
  about:
    'When devices and feeders were offline, without the times for which heartbeats were backfilled: a recorded outage may be in several parts, or gone.',
  over: outages,
  from: (rowsOf) => effectiveOutagesSql(rowsOf(outages), rowsOf(backfilledHeartbeats)),
  groupBy: [],
  fields: {
    network_id: same('network_id'),
    kind: same('kind'),
    id: same('id'),
    offline_at: same('offline_at'),
    online_at: { ...outages.fields.online_at, about: 'Until when; null while it lasts.', sql: 'r.online_at' },
    seconds: {
      type: 'Float64',
      about: 'How long, with milliseconds; up to now while it lasts.',
      sql: "greatest(0, dateDiff('millisecond', r.offline_at, ifNull(r.online_at, now64(3)))) / 1000",
    },
    backfilled: {
      type: 'UInt8',
      about: '1 where backfilled heartbeats shortened what was recorded.',
      sql: 'r.backfilled',
    },
  },
});

/** Whether something is online now (decisions 7.1), by when its last counted heartbeat was received; null: never. */
export const isOnlineSql = (lastReceived: Sql, nowMs: number): Sql =>
  sql`ifNull(${bind('Int64', nowMs)} - toUnixTimestamp64Milli(${lastReceived}) <= ${bind('Int64', onlineWindowMs)}, 0)`;
