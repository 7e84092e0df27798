import { onlineWindowMs } from '@popsvc/domain/status';
import {
  bind,
  defineTable,
  defineView,
  field,
  type Sql,
  sql,
  sqlText,
  type ViewField,
} from '@popsvc/platform/clickhouse';
import { byMonth, id, instant, network, sequence, word } from '../declarations/fields.ts';

const subject = {
  network_id: network,
  kind: word('device or feeder.'),
  id: id('Device or feeder'),
};

/** Status queries read this small table, so their cost is independent of the number of heartbeats. */
export const liveness = defineTable({
  name: 'device_liveness',
  about: 'The latest counted heartbeat of each device and feeder.',
  orderBy: ['network_id', 'kind', 'id'],
  replacing: { version: 'version' },
  granularity: 1024,
  fields: {
    ...subject,
    last_received_at: instant('Receipt of the last heartbeat within 300 s of its `at`.'),
    version: field('UInt64', 'The same in milliseconds since 1970; the highest is current.'),
  },
});

export const outages = defineTable({
  name: 'outages',
  about: 'Recorded outages of devices and feeders; heartbeats backfilled later are in backfilled_heartbeats.',
  orderBy: ['network_id', 'kind', 'id', 'offline_at'],
  day: 'offline_at',
  replacing: { version: 'pos' },
  granularity: 1024,
  fields: {
    ...subject,
    offline_at: instant('Start of the outage.'),
    online_at: field(
      "Nullable(DateTime64(3, 'UTC'))",
      'Receipt of the heartbeat that ended the outage; null while it lasts.',
    ),
    pos: sequence('The last event of the outage'),
  },
});

export const backfilledHeartbeats = defineTable({
  name: 'backfilled_heartbeats',
  about:
    'Heartbeats received too late for the current status: each covers 300 s from its time and shortens a recorded outage.',
  orderBy: ['network_id', 'kind', 'id', 'at', 'received_at'],
  partitionBy: byMonth('at'),
  day: 'at',
  replacing: {},
  granularity: 1024,
  fields: { ...subject, at: instant('Time of the heartbeat.'), received_at: instant('Receipt.') },
});

const never = sqlText(`toDateTime64('2250-01-01 00:00:00', 3, 'UTC')`);

const aliveWindow = sqlText(String(onlineWindowMs));
const keys = ['network_id', 'kind', 'id'];
const key = sqlText(keys.join(', '));
const ofOutage = sqlText(keys.map((name) => `o.${name} AS ${name}`).join(', '));
const sameKey = sqlText(keys.map((name) => `o.${name} = b.${name}`).join(' AND '));
const keyOfOutage = sqlText(keys.map((name) => `o.${name}`).join(', '));

/** Selects the parts of each outage that remain without the `onlineWindowMs` from each backfilled heartbeat on. */
export const effectiveOutagesSql = (recorded: Sql, heartbeats: Sql): Sql => sql`
  SELECT ${key}, part.1 AS offline_at, nullIf(part.2, ${never}) AS online_at, recorded_offline_at AS recorded_at, cut AS backfilled
  FROM (
    SELECT ${ofOutage}, o.offline_at AS recorded_offline_at, ifNull(o.online_at, ${never}) AS ended_at,
      arraySort(groupArrayIf(b.at, b.kind != '')) AS alive,
      notEmpty(alive) AS cut,
      arrayZip(
        arrayConcat([recorded_offline_at], arrayMap(at -> addMilliseconds(at, ${aliveWindow}), alive)),
        arrayConcat(alive, [ended_at])) AS parts
    FROM (${recorded}) AS o LEFT JOIN (${heartbeats}) AS b ON ${sameKey}
      AND b.at > addMilliseconds(o.offline_at, -${aliveWindow}) AND b.at < ifNull(o.online_at, ${never})
    GROUP BY ${keyOfOutage}, o.offline_at, o.online_at
  )
  ARRAY JOIN arrayFilter(part -> part.1 < part.2, parts) AS part`;

const same = (name: keyof typeof outages.fields): ViewField => ({ ...outages.fields[name], sql: `r.${name}` });

/** The reference model is test/src/oracle/outages.ts. */
export const effectiveOutages = defineView({
  name: 'effective_outages',
  about:
    'Outages of devices and feeders without the periods of backfilled heartbeats: a recorded outage may have several parts or none.',
  over: outages,
  from: (rowsOf) => effectiveOutagesSql(sqlText(rowsOf(outages)), sqlText(rowsOf(backfilledHeartbeats))).render().query,
  groupBy: [],
  fields: {
    network_id: same('network_id'),
    kind: same('kind'),
    id: same('id'),
    offline_at: same('offline_at'),
    online_at: { ...outages.fields.online_at, about: 'End; null while the outage lasts.', sql: 'r.online_at' },
    seconds: {
      type: 'Float64',
      about: 'Duration in seconds with milliseconds; up to now while the outage lasts.',
      sql: "greatest(0, dateDiff('millisecond', r.offline_at, ifNull(r.online_at, now64(3)))) / 1000",
    },
    backfilled: {
      type: 'UInt8',
      about: '1 when backfilled heartbeats shortened the recorded outage.',
      sql: 'r.backfilled',
    },
  },
});

/** False without a heartbeat. */
export const isOnlineSql = (lastReceived: Sql, nowMs: number): Sql =>
  sql`ifNull(${bind('Int64', nowMs)} - toUnixTimestamp64Milli(${lastReceived}) <= ${bind('Int64', onlineWindowMs)}, 0)`;
