import { onlineWindowMs } from '@popsvc/domain/status';
import type { Span } from '@popsvc/domain/spans';
import { bind, instantSql, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { backfilledHeartbeats, heartbeats, liveness, progressView, registryTables } from '@popsvc/read-models/tables';

/** A device of a network; its retired devices are included. */
export interface DeviceKey {
  readonly network: number;
  readonly device: number;
}

const uint64 = (value: number) => bind('UInt64', value);

/** Selects the network of a device; no row if the registry never had the device. */
export const deviceNetworkQuery = (device: number): Sql =>
  sql`SELECT network_id FROM ${liveViewName(registryTables.devices)} WHERE device_id = ${uint64(device)} LIMIT 1`;

/** Selects up to when the read model of the status has all events, ms since 1970; no row before the first batch. */
export const statusAsOfQuery: Sql = sql`
SELECT toUnixTimestamp64Milli(min(as_of)) AS as_of_ms FROM ${liveViewName(progressView)} WHERE projection = 'status' HAVING count() > 0`;

const window = bind('Int64', onlineWindowMs);

/**
 * Selects when the first and the last heartbeat that affects the current status was received, ms since 1970, or null. As in
 * `classifyHeartbeat`, its time must be within the online window of the receipt.
 */
export const receiptsQuery = ({ network, device }: DeviceKey): Sql => sql`
SELECT
  (SELECT toUnixTimestamp64Milli(minOrNull(received_at)) FROM ${liveViewName(heartbeats)}
    WHERE network_id = ${uint64(network)} AND device_id = ${uint64(device)} AND feeder_id = 0
      AND abs(dateDiff('millisecond', at, received_at)) <= ${window}) AS first_ms,
  (SELECT toUnixTimestamp64Milli(maxOrNull(last_received_at)) FROM ${liveViewName(liveness)}
    WHERE network_id = ${uint64(network)} AND kind = 'device' AND id = ${uint64(device)}) AS last_ms`;

/** Selects the times of backfilled heartbeats whose online window may overlap the frame, ms since 1970. */
export const backfilledQuery = ({ network, device }: DeviceKey, { from, to }: Span): Sql => sql`
SELECT DISTINCT toUnixTimestamp64Milli(at) AS at_ms FROM ${liveViewName(backfilledHeartbeats)}
WHERE network_id = ${uint64(network)} AND kind = 'device' AND id = ${uint64(device)}
  AND at > ${instantSql(from - onlineWindowMs)} AND at < ${instantSql(to)}`;
