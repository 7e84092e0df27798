import { devicePlaces, observations, watcherSummary, watcherThresholds } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { isKnown, isInBatch } from '../../engine/recompute.ts';
import { cutLooks, projectedNumber, replacingRows } from '../rows/derived-rows.sql.ts';
import type { RecomputeReason, RecomputePlan } from '../../engine/projection.ts';
import { spanMs } from '../rows/fact-rows.ts';

const named = (g: number) => `
  SELECT network_id, vendor, detection_id FROM ${generationTable(observations, g)}
  WHERE ${isInBatch()}`;

/** Rows that a change of places or thresholds may make stale; of feeders these know nothing. */
export const staleWatchers: RecomputePlan['staleRowsSql'] = {
  registry: (g) => `{everything:UInt8} = 1 OR device_id IN (
    SELECT device_id FROM ${generationTable(devicePlaces, g)}
    WHERE network_id = {network:UInt64} AND version >= 2 * {upTo:UInt64})`,
  feeders: () => '0',
};

const moved = (g: number) => `
  SELECT network_id, vendor, detection_id FROM ${generationTable(watcherSummary, g)}
  WHERE network_id = {network:UInt64}
  AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
  AND (${staleWatchers.registry(g)})`;

/** Detections by when they began. */
export const wholeWatchers: RecomputePlan['facts'] = {
  table: observations,
  at: `intDiv(toUnixTimestamp64Milli(started_at), ${spanMs}) * ${spanMs}`,
  widthMs: spanMs,
};

const begun = (g: number) => `
  SELECT network_id, vendor, detection_id FROM ${generationTable(observations, g)}
  WHERE network_id = {network:UInt64}
  AND started_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;

const affecting = (g: number, reason: RecomputeReason): string =>
  reason === 'batch' || reason === 'alone' ? named(g) : reason === 'rebuild' ? begun(g) : moved(g);

/** The detections to compute again, or a slice of them, with every start any version gave them. */
export const affectedDetections = (g: number, reason: RecomputeReason): string => `
  SELECT DISTINCT network_id, vendor, detection_id, started_at FROM ${generationTable(observations, g)}
  WHERE (network_id, vendor, detection_id) IN (${affecting(g, reason)})
  AND cityHash64(detection_id) % {slices:UInt16} = {slice:UInt16}`;

/** The versions that stand, with the place and thresholds in force when they began. */
const resolved = (g: number) => `
  SELECT *, arraySum(arrayMap((f, t) -> t - f, look_starts, look_ends)) AS looked_ms
  FROM (
    SELECT d.network_id AS network_id, d.vendor AS vendor, d.detection_id AS detection_id, d.device_id AS device_id,
      d.feeder_id AS feeder_id, d.camera_id AS camera_id, d.watcher_id AS watcher_id, d.gender AS gender,
      d.age_category AS age_category, d.mood AS mood, d.population AS population, d.pos AS pos, d.recorded_at AS recorded_at,
      d.started_at AS started_at, p.location_id AS location_id, p.site_id AS site_id,
      if(p.site_tz != '', toString(p.site_tz), 'UTC') AS site_tz,
      toUnixTimestamp64Milli(d.started_at) AS from_ms, toUnixTimestamp64Milli(d.ended_at) AS to_ms,
      ${cutLooks('d.watch_starts', 'd.watch_ends', 't.merge_gap_ms', 'from_ms', 'to_ms')}
    FROM (
      SELECT * FROM ${generationTable(observations, g)}
      WHERE (network_id, vendor, detection_id) IN (SELECT network_id, vendor, detection_id FROM affected) AND ${isKnown()}
      ORDER BY network_id, vendor, detection_id, revision DESC, pos DESC LIMIT 1 BY network_id, vendor, detection_id
    ) AS d
    ASOF LEFT JOIN (SELECT * FROM ${generationTable(devicePlaces, g)} FINAL) AS p
      ON d.network_id = p.network_id AND d.device_id = p.device_id AND d.started_at >= p.valid_from
    ASOF LEFT JOIN (SELECT * FROM ${generationTable(watcherThresholds, g)} FINAL) AS t
      ON d.network_id = t.network_id AND d.started_at >= t.valid_from
  )`;

/** Each column of the table and what it is made of. */
const values: Readonly<Record<keyof (typeof watcherSummary)['fields'], string>> = {
  network_id: 'r.network_id',
  ts: 'r.started_at',
  number: projectedNumber('r.network_id', 'r.vendor', 'r.detection_id'),
  vendor: 'r.vendor',
  detection_id: 'r.detection_id',
  device_id: 'r.device_id',
  location_id: 'r.location_id',
  site_id: 'r.site_id',
  site_tz: 'r.site_tz',
  feeder_id: 'r.feeder_id',
  camera_id: 'r.camera_id',
  watcher_id: 'r.watcher_id',
  gender: 'r.gender',
  age_category: 'r.age_category',
  mood: 'r.mood',
  population: 'r.population',
  detection_ms: 'toUInt64(r.to_ms - r.from_ms)',
  watch_ms: 'toUInt64(r.looked_ms)',
  is_watcher: 'toUInt8(r.looked_ms > 0)',
  detection_pos: 'r.pos',
  recorded_at: 'r.recorded_at',
  projected_at: 'now64(3)',
  version: '2 * {upTo:UInt64} + 1',
  is_deleted: '0',
};

/** As in coffee: rows as they should be, over a tombstone under every row those detections had. */
export const watcherRows = (g: number, reason: RecomputeReason): string =>
  replacingRows({
    table: watcherSummary,
    generation: g,
    values,
    from: `(${resolved(g)}) AS r`,
    ...(reason !== 'rebuild' && {
      affected: {
        keys: 'SELECT network_id, started_at FROM affected',
        identity: ['network_id', 'vendor', 'detection_id'],
      },
    }),
  });
