import { bulkJobs, liveness, outages, quarantine, registryTables } from '@popsvc/read-models/tables';
import { type Shard, shardIndexSql } from '@popsvc/domain/partitioning';
import { dictionaryName, instantSql, liveViewName, type Sql, sql, sqlText } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';

const hourMs = 3_600_000;

/** Times are in ms since 1970; 0 if no event or job matches. */
export interface CountsRow {
  readonly networks: number;
  readonly devices: number;
  readonly online: number;
  readonly never_seen: number;
  readonly open_outages: number;
  readonly quarantined: number;
  readonly quarantined_last_hour: number;
  readonly quarantined_since_ms: number;
  readonly running_jobs: number;
  readonly failed_jobs: number;
  readonly failed_job_ms: number;
}

/** Every shard has the whole registry, so a query must select the networks of its shard. */
const isOfShard = (shard: Shard): Sql => sqlText(`${shardIndexSql('network_id', shard.of)} = ${shard.index}`);

const deviceCounts = (shard: Shard, nowMs: number): Sql => sql`
  SELECT count() AS devices, countIf(${isOnlineSql(sql`h.last`, nowMs)}) AS online, countIf(isNull(h.last)) AS never_seen
  FROM (SELECT network_id, device_id FROM ${liveViewName(registryTables.devices)} WHERE retired = 0 AND ${isOfShard(shard)}) AS d
  LEFT JOIN (SELECT network_id, id, toNullable(last_received_at) AS last
    FROM ${liveViewName(liveness)} WHERE kind = 'device') AS h ON h.network_id = d.network_id AND h.id = d.device_id`;

const isRetired = sql`if(kind = 'device', dictGet(${dictionaryName('devices')}, 'retired', id), dictGet(${dictionaryName('feeders')}, 'retired', id))`;

const quarantineCounts = (nowMs: number): Sql => sql`
  SELECT count() AS quarantined, countIf(received_at > ${instantSql(nowMs - hourMs)}) AS quarantined_last_hour,
    toUnixTimestamp64Milli(minIf(received_at, received_at > ${instantSql(nowMs - hourMs)})) AS quarantined_since_ms
  FROM ${liveViewName(quarantine)} WHERE state = 'waiting'`;

const jobCounts = (nowMs: number): Sql => sql`
  SELECT countIf(ended = 0) AS running_jobs, countIf(failed > ${instantSql(nowMs - 24 * hourMs)}) AS failed_jobs,
    toUnixTimestamp64Milli(max(failed)) AS failed_job_ms
  FROM (SELECT countIf(part = 'ended') AS ended, maxIf(recorded_at, part = 'ended' AND status = 'failed') AS failed
    FROM ${liveViewName(bulkJobs)} GROUP BY job_id)`;

export const countsQuery = (shard: Shard, nowMs: number): Sql => sql`
SELECT * FROM (SELECT count() AS networks FROM ${liveViewName(registryTables.networks)} WHERE ${isOfShard(shard)}) AS n
CROSS JOIN (${deviceCounts(shard, nowMs)}) AS d
CROSS JOIN (SELECT count() AS open_outages FROM ${liveViewName(outages)} WHERE online_at IS NULL AND ${isRetired} = 0) AS o
CROSS JOIN (${quarantineCounts(nowMs)}) AS q
CROSS JOIN (${jobCounts(nowMs)}) AS j`;

/** 0 means that there is no time. */
const earliest = (one: number, other: number): number =>
  one === 0 || other === 0 ? one + other : Math.min(one, other);

/** Every shard has all jobs, so the job counts of one shard are used. */
export const sumCounts = ([first, ...others]: readonly CountsRow[]): CountsRow | undefined =>
  first &&
  others.reduce(
    (one, other) => ({
      ...one,
      networks: one.networks + other.networks,
      devices: one.devices + other.devices,
      online: one.online + other.online,
      never_seen: one.never_seen + other.never_seen,
      open_outages: one.open_outages + other.open_outages,
      quarantined: one.quarantined + other.quarantined,
      quarantined_last_hour: one.quarantined_last_hour + other.quarantined_last_hour,
      quarantined_since_ms: earliest(one.quarantined_since_ms, other.quarantined_since_ms),
    }),
    first,
  );
