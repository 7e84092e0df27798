import { instantOf } from '@popsvc/contracts/time';
import type { NewNotice } from '@popsvc/domain/notices';
import { bind, instantSql, liveViewName, type ShardReader, type Sql, sql } from '@popsvc/platform/clickhouse';
import { findSilentVendors, type ReadFleet } from '@popsvc/ops-api/server';
import { quarantine } from '@popsvc/read-models/tables';

const hourMs = 3_600_000;

interface QuarantinedHour {
  readonly network_id: number;
  readonly vendor: string;
  /** Start of the hour of receipt, in ms since 1970. */
  readonly hour_ms: number;
  readonly quarantined: number;
}

const quarantinedHoursQuery = (fromMs: number, threshold: number): Sql => sql`
SELECT toFloat64(network_id) AS network_id, vendor,
  toFloat64(intDiv(toUnixTimestamp64Milli(received_at), ${bind('Int64', hourMs)}) * ${bind('Int64', hourMs)}) AS hour_ms,
  toFloat64(count()) AS quarantined
FROM ${liveViewName(quarantine)} WHERE received_at >= ${instantSql(fromMs)} AND state = 'waiting'
GROUP BY network_id, vendor, hour_ms HAVING quarantined > ${bind('UInt64', threshold)}`;

export const findGrowingQuarantine = async (
  { reader }: ShardReader,
  threshold: number,
  nowMs: number,
): Promise<readonly NewNotice[]> => {
  const fromMs = (Math.floor(nowMs / hourMs) - 1) * hourMs;
  const found = await reader.rows<QuarantinedHour>(quarantinedHoursQuery(fromMs, threshold));
  return found.map(({ network_id, vendor, hour_ms, quarantined }) => {
    const hour = instantOf(hour_ms);
    const data = { network_id, vendor, hour, quarantined, threshold };
    return {
      notice: { type: 'quarantine.growing', timestamp: instantOf(nowMs), data },
      key: `${vendor} ${hour}`,
    };
  });
};

export const findSilence = async (
  readFleet: ReadFleet,
  vendorSilentMinutes: number,
  nowMs: number,
): Promise<readonly NewNotice[]> =>
  findSilentVendors(await readFleet(nowMs), { vendorSilentMinutes }, nowMs).map(({ network, vendor, sinceMs }) => {
    const since = instantOf(sinceMs);
    return {
      notice: {
        type: 'vendor.silent',
        timestamp: instantOf(nowMs),
        data: { network_id: network, vendor, silent_since: since },
      },
      key: `${vendor} ${since}`,
    };
  });
