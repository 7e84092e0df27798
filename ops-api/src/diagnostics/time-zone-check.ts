import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { zoneOffset } from '@popsvc/domain/mappings';
import { bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { registryTables } from '@popsvc/read-models/tables';
import type { CheckedShard } from './dependencies.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Days before and after today that the check compares, at midnight UTC of each day. */
const daysEachWay = 366;

/** The local times of a zone on the compared days, in the form 2026-01-31T13:05. */
interface ZoneRow {
  readonly zone: string;
  readonly locals: readonly string[];
}

/** Reads the local times of each zone. Days are numbers of days since 1970; `to` is exclusive. */
const zonesQuery = (from: number, to: number): Sql => sql`
  SELECT zone, arrayMap(day -> formatDateTime(toDateTime(day * 86400, 'UTC'), '%Y-%m-%dT%H:%i', zone),
    range(${bind('UInt64', from)}, ${bind('UInt64', to)})) AS locals
  FROM (
    SELECT timezone AS zone FROM ${liveViewName(registryTables.networks)}
    UNION DISTINCT SELECT timezone AS zone FROM ${liveViewName(registryTables.sites)})
  ORDER BY zone`;

const versionSql = "SELECT value FROM system.build_options WHERE name = 'TZDATA_VERSION'";

const describeOffset = (offsetMs: number | undefined): string => {
  if (offsetMs === undefined) return 'unknown';
  const minutes = Math.abs(offsetMs) / minuteMs;
  const padded = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `UTC${offsetMs < 0 ? '-' : '+'}${padded(minutes / 60)}:${padded(minutes % 60)}`;
};

/** Describes the first day on which the offsets of a zone differ; undefined if they agree on every day. */
const describeDifference = ({ zone, locals }: ZoneRow, firstDay: number): string | undefined => {
  const offsetAt = zoneOffset(zone);
  for (const [index, local] of locals.entries()) {
    const instantMs = (firstDay + index) * dayMs;
    const inClickHouse = Date.parse(`${local}Z`) - instantMs;
    const inNode = offsetAt(instantMs);
    if (inClickHouse === inNode) continue;
    const day = new Date(instantMs).toISOString().slice(0, 10);
    return `${zone} is ${describeOffset(inClickHouse)} in ClickHouse and ${describeOffset(inNode)} in Node.js on ${day}`;
  }
  return undefined;
};

/**
 * Compares the rules of ClickHouse and of Node.js for the current time zones of networks and sites. The services convert the local
 * times that vendors send with the rules of Node.js. ClickHouse formats the local times of reports. If the rules differ, a report
 * shows a different local time than the vendor sent.
 */
export const checkTimeZones = async ({ reader, writer }: CheckedShard): Promise<readonly Finding[]> => {
  const today = Math.floor(Date.now() / dayMs);
  const [firstDay, endDay] = [today - daysEachWay, today + daysEachWay + 1];
  const [zones, [clickHouseData]] = await Promise.all([
    reader.rows<ZoneRow>(zonesQuery(firstDay, endDay)),
    writer.rows<{ value: string }>(versionSql, { timeoutMs: 3_000 }),
  ]);
  const differences: string[] = [];
  for (const zone of zones) {
    const difference = describeDifference(zone, firstDay);
    if (difference !== undefined) differences.push(difference);
    // Comparing one zone takes some milliseconds. The server handles other requests in between.
    await nextTurn();
  }
  const versions = `time zone data: ClickHouse ${clickHouseData?.value ?? 'unknown'}, Node.js ${process.versions['tz'] ?? 'unknown'}`;
  if (differences.length === 0)
    return [reportOk('time-zones', { found: `${zones.length} zones have the same offsets in both; ${versions}` })];
  return [reportProblem('time-zones', 'differ', { found: `${differences.join('; ')}; ${versions}` })];
};
