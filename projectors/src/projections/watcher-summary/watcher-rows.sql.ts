import { generationTable } from '@popsvc/platform/clickhouse';
import {
  derivedWatcherSummary,
  devicePlaces,
  observations,
  watcherSummary,
  watcherThresholds,
} from '@popsvc/read-models/tables';
import { isInBatch, isInWindow, isKnown, rowVersion } from '../../engine/recompute.ts';
import type { PlanStatement, RecomputePlan, RecomputeReason, TemporaryTable } from '../../engine/projection.ts';
import { clippedWatches, replaceDerivedRows, rowNumber, validFrom } from '../rows/derived-rows.sql.ts';

const detectionsInBatch = (generation: number) => `
  SELECT network_id, vendor, detection_id FROM ${generationTable(observations, generation)}
  WHERE ${isInBatch}`;

/** Changes of feeders make no rows of `watcher_summary` stale. */
const staleWatcherRows: RecomputePlan['staleRowsSql'] = {
  registry: (generation) => `{everything:UInt8} = 1 OR device_id IN (
    SELECT device_id FROM ${generationTable(devicePlaces, generation)}
    WHERE network_id = {network:UInt64} AND version >= 2 * {changedFrom:UInt64})`,
  feeders: () => '0',
};

const detectionsInWindow = (generation: number) => `
  SELECT network_id, vendor, detection_id FROM ${generationTable(observations, generation)}
  WHERE ${isInWindow('started_at')}`;

const staleDetections = (generation: number) => `
  SELECT network_id, vendor, detection_id FROM ${generationTable(watcherSummary, generation)}
  WHERE ${isInWindow('ts')} AND (${staleWatcherRows.registry(generation)})`;

const detectionKeys = (generation: number, reason: RecomputeReason): string => {
  if (reason === 'affecting' || reason === 'isolated') return detectionsInBatch(generation);
  return reason === 'window' ? detectionsInWindow(generation) : staleDetections(generation);
};

/** A detection has a row for each start time of its versions, because its stored rows may have any of them. */
const affectedDetections = (generation: number, reason: RecomputeReason): string => `
  SELECT DISTINCT network_id, vendor, detection_id, started_at FROM ${generationTable(observations, generation)}
  WHERE (network_id, vendor, detection_id) IN (${detectionKeys(generation, reason)})
  AND cityHash64(detection_id) % {slices:UInt32} = {slice:UInt32}`;

/** The current version has the highest (revision, pos). A device without a placement gets the time zone UTC. */
const placedDetections = (generation: number) => `
  SELECT *, arraySum(arrayMap((f, t) -> t - f, clipped_starts, clipped_ends)) AS watched_ms
  FROM (
    SELECT d.network_id AS network_id, d.vendor AS vendor, d.detection_id AS detection_id, d.device_id AS device_id,
      d.feeder_id AS feeder_id, d.camera_id AS camera_id, d.watcher_id AS watcher_id, d.gender AS gender,
      d.age_category AS age_category, d.mood AS mood, d.population AS population, d.pos AS pos, d.recorded_at AS recorded_at,
      d.started_at AS started_at, p.location_id AS location_id, p.site_id AS site_id,
      if(p.site_tz != '', toString(p.site_tz), 'UTC') AS site_tz,
      toUnixTimestamp64Milli(d.started_at) AS from_ms, toUnixTimestamp64Milli(d.ended_at) AS to_ms,
      ${clippedWatches('t.merge_gap_ms')}
    FROM (
      SELECT * FROM ${generationTable(observations, generation)}
      WHERE (network_id, vendor, detection_id) IN (SELECT network_id, vendor, detection_id FROM affected_detections) AND ${isKnown}
      ORDER BY network_id, vendor, detection_id, revision DESC, pos DESC LIMIT 1 BY network_id, vendor, detection_id
    ) AS d
    ASOF LEFT JOIN (SELECT * FROM ${generationTable(devicePlaces, generation)} FINAL) AS p
      ON d.network_id = p.network_id AND d.device_id = p.device_id AND d.started_at >= p.valid_from
    ASOF LEFT JOIN (SELECT * FROM ${generationTable(watcherThresholds, generation)} FINAL) AS t
      ON d.network_id = t.network_id AND d.started_at >= t.valid_from
  )`;

const values: Readonly<Record<keyof (typeof watcherSummary)['fields'], string>> = {
  network_id: 'd.network_id',
  ts: 'd.started_at',
  number: rowNumber('d.network_id', 'd.vendor', 'd.detection_id'),
  vendor: 'd.vendor',
  detection_id: 'd.detection_id',
  device_id: 'd.device_id',
  location_id: 'd.location_id',
  site_id: 'd.site_id',
  site_tz: 'd.site_tz',
  feeder_id: 'd.feeder_id',
  camera_id: 'd.camera_id',
  watcher_id: 'd.watcher_id',
  gender: 'd.gender',
  age_category: 'd.age_category',
  mood: 'd.mood',
  population: 'd.population',
  detection_ms: 'toUInt64(d.to_ms - d.from_ms)',
  watch_ms: 'toUInt64(d.watched_ms)',
  is_watcher: 'toUInt8(d.watched_ms > 0)',
  detection_pos: 'd.pos',
  recorded_at: 'd.recorded_at',
  valid_from: validFrom('d.recorded_at'),
  projected_at: 'now64(3)',
  version: rowVersion,
  is_deleted: '0',
};

const watcherRows = (generation: number): readonly (TemporaryTable | PlanStatement)[] =>
  replaceDerivedRows({
    derived: derivedWatcherSummary,
    generation,
    values,
    from: `(${placedDetections(generation)}) AS d`,
    replaces: {
      affected: 'affected_detections',
      ts: 'started_at',
      identity: ['network_id', 'vendor', 'detection_id'],
    },
  });

export const watcherRecomputePlan: RecomputePlan = {
  staleRowsSql: staleWatcherRows,
  statements: (generation, reason) => [
    { name: 'affected_detections', sql: affectedDetections(generation, reason) },
    ...watcherRows(generation),
  ],
};
