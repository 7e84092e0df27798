import { bulkJobs, liveness, outages, quarantine, registryTables } from '@popsvc/read-models/tables';
import { instantSql, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';

const hourMs = 3_600_000;

/**
 * The counts shown in the overview, read from the read models as one row. Times are in ms since 1970; a time is 0 if no event or
 * job matches.
 */
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

const deviceCounts = (nowMs: number): Sql => sql`
  SELECT count() AS devices, countIf(${isOnlineSql(sql`h.last`, nowMs)}) AS online, countIf(isNull(h.last)) AS never_seen
  FROM (SELECT network_id, device_id FROM ${liveViewName(registryTables.devices)} WHERE retired = 0) AS d
  LEFT JOIN (SELECT network_id, id, toNullable(last_received_at) AS last
    FROM ${liveViewName(liveness)} WHERE kind = 'device') AS h ON h.network_id = d.network_id AND h.id = d.device_id`;

const isRetired = sql`if(kind = 'device', dictGet('dict_devices', 'retired', id), dictGet('dict_feeders', 'retired', id))`;

const quarantineCounts = (nowMs: number): Sql => sql`
  SELECT count() AS quarantined, countIf(received_at > ${instantSql(nowMs - hourMs)}) AS quarantined_last_hour,
    toUnixTimestamp64Milli(minIf(received_at, received_at > ${instantSql(nowMs - hourMs)})) AS quarantined_since_ms
  FROM ${liveViewName(quarantine)} WHERE state = 'waiting'`;

const jobCounts = (nowMs: number): Sql => sql`
  SELECT countIf(ended = 0) AS running_jobs, countIf(failed > ${instantSql(nowMs - 24 * hourMs)}) AS failed_jobs,
    toUnixTimestamp64Milli(max(failed)) AS failed_job_ms
  FROM (SELECT countIf(part = 'ended') AS ended, maxIf(recorded_at, part = 'ended' AND status = 'failed') AS failed
    FROM ${liveViewName(bulkJobs)} GROUP BY job_id)`;

export const countsQuery = (nowMs: number): Sql => sql`
SELECT * FROM (SELECT count() AS networks FROM ${liveViewName(registryTables.networks)}) AS n
CROSS JOIN (${deviceCounts(nowMs)}) AS d
CROSS JOIN (SELECT count() AS open_outages FROM ${liveViewName(outages)} WHERE online_at IS NULL AND ${isRetired} = 0) AS o
CROSS JOIN (${quarantineCounts(nowMs)}) AS q
CROSS JOIN (${jobCounts(nowMs)}) AS j`;
