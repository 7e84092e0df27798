import { createCheck, type Finding, warning } from '@popsvc/contracts/diagnostics';
import { listOffsetRanges, type OffsetRange, timeZoneVersion, zoneOffset } from '@popsvc/contracts/time-zones';
import { nameWithoutShard } from '@popsvc/domain/partitioning';
import {
  bind,
  type ClickHouseReader,
  dictionaryName,
  liveViewName,
  type Sql,
  sql,
  tableName,
} from '@popsvc/platform/clickhouse';
import { type GenerationRecord, readGenerations } from '@popsvc/platform/postgres';
import { readTimeZoneVersion, timeZones, timeZonesEndMs } from '@popsvc/read-models/schema';
import { plays, registryTables } from '@popsvc/read-models/tables';
import type { ShardEvaluation } from '../dependencies.ts';

const check = createCheck(
  'time-zones',
  'The local times of reports and the opening hours in the rows of coffee come from the time zone data of this release.',
  {
    differ: warning(
      'The projectors write their time zone data to ClickHouse when they start. Run the same release in all processes, and restart the projectors.',
    ),
    outdated: warning(
      'Local times in reports follow the current data. Opening hours are stored in rows: `popsvc projections replay coffee --from facts` computes them again.',
    ),
    converted: warning(
      'Vendors sent these plays with local times, which were converted by former rules of their zones. `popsvc projections replay coffee --from log` converts them again, and computes opening hours again, too.',
    ),
  },
);

/** The earliest possible start of a play. */
const firstMs = Date.UTC(2000, 0, 1);

const zonesSql = sql`
  SELECT timezone AS zone FROM ${liveViewName(registryTables.networks)}
  UNION DISTINCT SELECT timezone AS zone FROM ${liveViewName(registryTables.sites)}`;

const describeOffset = (offsetMs: number): string => {
  const minutes = Math.abs(offsetMs) / 60_000;
  const padded = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `UTC${offsetMs < 0 ? '-' : '+'}${padded(minutes / 60)}:${padded(minutes % 60)}`;
};

const describeFirstDifference = (zone: string, former: readonly OffsetRange[]): string | undefined => {
  const current = zoneOffset(zone);
  const starts = [...listOffsetRanges(zone), ...former]
    .map(({ fromMs }) => Math.max(fromMs, firstMs))
    .filter((ms) => ms < timeZonesEndMs);
  for (const instantMs of new Set(starts.sort((one, other) => one - other))) {
    const [was, is] = [former.find(({ toMs }) => instantMs < toMs)?.offsetMs, current(instantMs)];
    if (was !== undefined && is !== undefined && was !== is)
      return `${zone} from ${new Date(instantMs).toISOString().slice(0, 10)} (${describeOffset(was)}, now ${describeOffset(is)})`;
  }
  return undefined;
};

const readFormerRanges = async (
  reader: ClickHouseReader,
  version: string,
  zones: readonly string[],
): Promise<ReadonlyMap<string, readonly OffsetRange[]>> => {
  const rows = await reader.rows<{ zone: string; fromMs: number; toMs: number; offsetMs: number }>(sql`
    SELECT zone, from_ms AS fromMs, to_ms + 1 AS toMs, offset_seconds * 1000 AS offsetMs FROM ${tableName(timeZones, 1)} FINAL
    WHERE version = ${bind('String', version)} AND zone IN ${bind('Array(String)', zones)} ORDER BY zone, from_ms`);
  const ranges = new Map<string, OffsetRange[]>();
  for (const { zone, ...range } of rows) ranges.set(zone, [...(ranges.get(zone) ?? []), range]);
  return ranges;
};

const findDifferences = async (reader: ClickHouseReader, version: string): Promise<readonly string[]> => {
  const zones = (await reader.rows<{ zone: string }>(zonesSql)).map(({ zone }) => zone);
  const former = await readFormerRanges(reader, version, zones);
  return zones.sort().flatMap((zone) => {
    const ranges = former.get(zone);
    return ranges ? (describeFirstDifference(zone, ranges) ?? []) : `${zone} (its former rules are not stored)`;
  });
};

/** The rows of `coffee` store whether the site was open, which depends on the time zone. */
const checkGeneration = async (
  reader: ClickHouseReader,
  { projection, generation, timeZones: version }: GenerationRecord,
): Promise<Finding> => {
  const built = `generation ${generation} of ${projection} was created with`;
  if (version === timeZoneVersion) return check.ok({ found: `time zone data ${timeZoneVersion}` });
  if (version === '')
    return check.problem('outdated', {
      found: `${built} the time zone rules of ClickHouse; the current data is ${timeZoneVersion}`,
    });
  const differences = await findDifferences(reader, version);
  const versions = `${built} time zone data ${version}, and the current data is ${timeZoneVersion}`;
  return differences.length === 0
    ? check.ok({ found: `${versions}: no zone of the registry differs` })
    : check.problem('outdated', { found: `${versions}: ${differences.join(', ')}` });
};

/** Counts plays whose local start was converted with another offset than the current data has. */
const changedPlaysQuery = (generation: number): Sql => sql`
  SELECT p.local_zone AS zone, uniqExact(p.network_id, p.vendor, p.event_id) AS plays
  FROM (
    SELECT network_id, vendor, event_id, toString(local_zone) AS local_zone, toString(zone_version) AS zone_version,
      toUnixTimestamp64Milli(played_at) AS played_ms
    FROM ${tableName(plays, generation)} WHERE zone_version NOT IN ('', ${bind('String', timeZoneVersion)})
  ) AS p
  ASOF JOIN (
    SELECT toString(version) AS version, toString(zone) AS zone, from_ms, offset_seconds FROM ${tableName(timeZones, 1)} FINAL
  ) AS t ON p.zone_version = t.version AND p.local_zone = t.zone AND p.played_ms >= t.from_ms
  WHERE t.offset_seconds != dictGet(${dictionaryName('time_zones')}, 'offset_seconds', tuple(p.local_zone), p.played_ms)
  GROUP BY zone ORDER BY zone`;

const unrecordedQuery = (generation: number): Sql => sql`
  SELECT count() AS receipts FROM ${tableName(plays, generation)} WHERE schema_version != '' AND local_zone = ''`;

const checkPlays = async (reader: ClickHouseReader, { generation }: GenerationRecord): Promise<readonly Finding[]> => {
  const [changed, [unrecorded]] = await Promise.all([
    reader.rows<{ zone: string; plays: number }>(changedPlaysQuery(generation)),
    reader.rows<{ receipts: number }>(unrecordedQuery(generation)),
  ]);
  const receipts = unrecorded?.receipts ?? 0;
  const unknown =
    receipts === 0
      ? ''
      : `; not compared: ${receipts} mapped plays that record no zone, because they were sent in UTC or with an offset, or a release before 0.1.0-alpha.3 converted them`;
  const listed = changed.map(({ zone, plays: count }) => `${zone}: ${count}`).join(', ');
  const found = `plays with local times that ${timeZoneVersion} converts to other instants: ${listed || 'none'}${unknown}`;
  if (changed.length > 0) return [check.problem('converted', { found })];
  return unknown ? [check.ok({ found })] : [];
};

export const timeZonesCheck: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse', 'postgresql'],
  async evaluate({ reader, writer, postgres, declarations }) {
    const [inClickHouse, generations] = await Promise.all([readTimeZoneVersion(writer), readGenerations(postgres)]);
    if (inClickHouse !== timeZoneVersion)
      return [
        check.problem('differ', {
          found: `time zone data: ClickHouse ${inClickHouse ?? 'none'}, this process ${timeZoneVersion}`,
        }),
      ];
    const coffee = declarations.find(({ name }) => nameWithoutShard(name) === 'coffee')?.name;
    const live = generations.find(({ projection, state }) => projection === coffee && state === 'live');
    if (!live) return [check.ok({ found: `time zone data ${timeZoneVersion}` })];
    return [await checkGeneration(reader, live), ...(await checkPlays(reader, live))];
  },
};
