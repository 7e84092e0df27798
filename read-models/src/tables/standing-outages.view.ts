import { defineView, type ViewField } from '@popsvc/platform/clickhouse';
import { backfilledHeartbeats, outages } from './liveness.tables.ts';

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
  SELECT ${key}, part.1 AS offline_at, nullIf(part.2, ${never}) AS online_at, not_heard_at AS recorded_at, cut AS backfilled
  FROM (
    SELECT ${ofOutage}, o.offline_at AS not_heard_at, ifNull(o.online_at, ${never}) AS ended_at,
      arraySort(groupArrayIf(b.at, b.kind != '')) AS alive,
      notEmpty(alive) AS cut,
      arrayZip(
        arrayConcat([not_heard_at], arrayMap(at -> ${later('at')}, alive)),
        arrayConcat(alive, [ended_at])) AS parts
    FROM (${recorded}) AS o LEFT JOIN (${beats}) AS b ON ${sameKey}
      AND b.at > addMilliseconds(o.offline_at, -${aliveMs}) AND b.at < ifNull(o.online_at, ${never})
    GROUP BY ${keys.map((name) => `o.${name}`).join(', ')}, o.offline_at, o.online_at
  )
  ARRAY JOIN arrayFilter(part -> part.1 < part.2, parts) AS part`;

const same = (name: keyof typeof outages.fields): ViewField => ({ ...outages.fields[name], sql: `r.${name}` });

/** Outages as they stand now; the domain's standingOutages is their specification. */
export const effectiveOutages = defineView({
  name: 'standing_outages',
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
