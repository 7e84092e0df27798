import { backfilledHeartbeats, outages, effectiveOutagesSql } from '@popsvc/read-models/tables';
import type { LivenessKind } from '@popsvc/contracts/vocabulary';
import {
  bind,
  dictionaryName,
  instantSql,
  joinWithAnd,
  liveViewName,
  type Sql,
  sql,
} from '@popsvc/platform/clickhouse';

export interface OutagesFilter {
  readonly network?: number | undefined;
  readonly device?: number | undefined;
  readonly feeder?: number | undefined;
  readonly site?: number | undefined;
  /** Only outages that end after this time, ms since 1970. */
  readonly from: number;
  /** Only outages that begin before this time, ms since 1970. */
  readonly to?: number | undefined;
  readonly open: boolean;
  readonly limit: number;
  readonly after?: Readonly<Record<'offline_ms' | 'kind' | 'id', string>> | undefined;
}

/** An outage, corrected by backfilled heartbeats. */
export interface OutageRow {
  readonly network_id: number;
  readonly kind: LivenessKind;
  readonly id: number;
  readonly name: string;
  readonly device_id: number;
  readonly site_id: number;
  readonly site_name: string;
  /** Empty if the registry does not contain the site. */
  readonly site_timezone: string;
  readonly offline_ms: number;
  readonly online_ms: number | null;
  readonly backfilled: 0 | 1;
}

const uint64 = (value: number) => bind('UInt64', value);

const [devices, feeders] = [dictionaryName('devices'), dictionaryName('feeders')];
const deviceId = sql`if(kind = 'device', id, dictGet(${feeders}, 'device_id', id))`;
const siteId = sql`dictGet(${dictionaryName('locations')}, 'site_id', dictGet(${devices}, 'location_id', ${deviceId}))`;

const ownerCondition = ({ device, feeder }: OutagesFilter): Sql | undefined => {
  if (device === undefined && feeder === undefined) return undefined;
  const [is, none] = [(kind: Sql, id: number) => sql`(kind = ${kind} AND id = ${uint64(id)})`, sql`0`];
  const ofDevice = device === undefined ? none : is(sql`'device'`, device);
  return sql`(${ofDevice} OR ${feeder === undefined ? none : is(sql`'feeder'`, feeder)})`;
};

/** Only narrows the search. Backfilled heartbeats may shorten or split these outages, so `outagesQuery` filters again. */
const recordedOutages = (filter: OutagesFilter): Sql => sql`
  SELECT * FROM ${liveViewName(outages)} WHERE ${joinWithAnd([
    filter.network === undefined ? undefined : sql`network_id = ${uint64(filter.network)}`,
    ownerCondition(filter),
    filter.site === undefined ? undefined : sql`${siteId} = ${uint64(filter.site)}`,
    filter.to === undefined ? undefined : sql`offline_at < ${instantSql(filter.to)}`,
    filter.open ? sql`online_at IS NULL` : sql`(online_at IS NULL OR online_at > ${instantSql(filter.from)})`,
  ])}`;

export const outagesQuery = (filter: OutagesFilter): Sql => {
  const { from, to, open, limit, after } = filter;
  const heartbeats = sql`SELECT network_id, kind, id, at FROM ${liveViewName(backfilledHeartbeats)}
    WHERE (network_id, kind, id) IN (SELECT network_id, kind, id FROM (${recordedOutages(filter)}))`;
  return sql`
SELECT network_id, kind, id, ${deviceId} AS device_id, ${siteId} AS site_id, dictGet(${dictionaryName('sites')}, 'name', site_id) AS site_name,
  dictGet(${dictionaryName('sites')}, 'timezone', site_id) AS site_timezone,
  if(kind = 'device', dictGet(${devices}, 'name', id), dictGet(${feeders}, 'name', id)) AS name,
  toUnixTimestamp64Milli(offline_at) AS offline_ms, toUnixTimestamp64Milli(online_at) AS online_ms, backfilled
FROM (${effectiveOutagesSql(recordedOutages(filter), heartbeats)})
WHERE ${joinWithAnd([
    to === undefined ? undefined : sql`offline_at < ${instantSql(to)}`,
    open ? sql`online_at IS NULL` : sql`(online_at IS NULL OR online_at > ${instantSql(from)})`,
    after &&
      sql`(offline_ms, toString(kind), id) < (${bind('Int64', after.offline_ms)}, ${bind('String', after.kind)}, ${bind('UInt64', after.id)})`,
  ])}
ORDER BY offline_ms DESC, toString(kind) DESC, id DESC LIMIT ${uint64(limit + 1)}`;
};
