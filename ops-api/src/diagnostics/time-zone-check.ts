import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { zoneOffset } from '@popsvc/domain/mappings';
import { bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { registryTables } from '@popsvc/read-models/tables';
import type { DiagnosticsDependencies } from './dependencies.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The check compares one instant a day, from a year ago to a year ahead. */
const daysEachWay = 366;

/** The local times of a zone at the compared instants, in the form 2026-01-31T13:05. */
interface ZoneRow {
  readonly zone: string;
  readonly locals: readonly string[];
}

const zonesQuery = (instantsMs: readonly number[]): Sql => sql`
  SELECT zone, arrayMap(ms -> formatDateTime(fromUnixTimestamp64Milli(ms, 'UTC'), '%Y-%m-%dT%H:%i', zone),
    ${bind('Array(Int64)', instantsMs)}) AS locals
  FROM (
    SELECT timezone AS zone FROM ${liveViewName(registryTables.networks)}
    UNION DISTINCT SELECT timezone AS zone FROM ${liveViewName(registryTables.sites)})
  ORDER BY zone`;

const describeOffset = (offsetMs: number | undefined): string => {
  if (offsetMs === undefined) return 'unknown';
  const minutes = Math.abs(offsetMs) / minuteMs;
  const padded = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${padded(minutes / 60)}:${padded(minutes % 60)}`;
};

/** Describes the first instant at which the offsets of a zone differ; undefined if they agree at every instant. */
const describeDifference = ({ zone, locals }: ZoneRow, instantsMs: readonly number[]): string | undefined => {
  const offsetAt = zoneOffset(zone);
  for (const [index, instantMs] of instantsMs.entries()) {
    const inClickHouse = Date.parse(`${locals[index]}Z`) - instantMs;
    const here = offsetAt(instantMs);
    if (inClickHouse === here) continue;
    const day = new Date(instantMs).toISOString().slice(0, 10);
    return `${zone} is UTC${describeOffset(inClickHouse)} in ClickHouse and UTC${describeOffset(here)} in this process on ${day}`;
  }
  return undefined;
};

/**
 * Compares the rules of ClickHouse for the time zones of the registry with those of this process. The services convert the local
 * times that vendors send, and ClickHouse computes the local times of reports. With different rules, a report shows another local
 * time than the vendor sent.
 */
export const checkTimeZones = async ({
  reader,
}: Pick<DiagnosticsDependencies, 'reader'>): Promise<readonly Finding[]> => {
  const today = Math.floor(Date.now() / dayMs);
  const instantsMs = Array.from({ length: 2 * daysEachWay + 1 }, (_, index) => (today - daysEachWay + index) * dayMs);
  const zones = await reader.rows<ZoneRow>(zonesQuery(instantsMs));
  const differences = zones.flatMap((zone) => describeDifference(zone, instantsMs) ?? []);
  const version = `this process has version ${process.versions['tz'] ?? 'unknown'} of the time zone data`;
  if (differences.length === 0)
    return [reportOk('time-zones', { found: `${zones.length} zones agree with ClickHouse; ${version}` })];
  return [reportProblem('time-zones', 'differ', { found: `${differences.join('; ')}; ${version}` })];
};
