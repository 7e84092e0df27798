import { feederOnlineWindowMs } from '@popsvc/domain/audience';
import { generationTable } from '@popsvc/platform/clickhouse';
import {
  coffee,
  detections,
  feederHeartbeats,
  feederPlaces,
  plays,
  playSpans,
  screenPlaces,
  spanMs,
} from '@popsvc/read-models/tables';
import { isDerivedNetwork, isInBatch, isInWindow } from '../../engine/recompute.ts';
import type { RecomputePlan, RecomputeReason } from '../../engine/projection.ts';
import { releasedPlays } from '../dynamic-events/waiting-events.ts';
import { overlappedSpans } from '../rows/derived-rows.sql.ts';
import { receiptColumns } from './receipt-outcomes.sql.ts';

/*
 * The SQL uses the query parameters of `isInBatch`, `isInWindow`, `isDerivedNetwork` and `computeParameters` in engine/recompute.ts.
 * `everything` is 1 if all rows in the window are stale.
 */

/** Includes former versions of the batch's detections, because rows computed from them must be replaced. */
const detectedTimes = (generation: number) => `
  SELECT DISTINCT network_id, device_id, started_at, ended_at,
    ${overlappedSpans('toUnixTimestamp64Milli(started_at)', 'toUnixTimestamp64Milli(ended_at)')} AS span
  FROM ${generationTable(detections, generation)}
  WHERE (network_id, vendor, detection_id) IN (
    SELECT network_id, vendor, detection_id FROM ${generationTable(detections, generation)}
    WHERE ${isInBatch})
  AND ended_at > started_at`;

/**
 * A heartbeat may change plays without audience from UNMEASURED to NONE if they run at its time or begin up to 300 s later. `reach_from`
 * excludes plays that an earlier heartbeat affects already.
 */
const heartbeatTimes = (generation: number) => `
  SELECT f.network_id AS network_id, f.device_id AS device_id, b.reach_from AS started_at, b.reach_to AS ended_at,
    ${overlappedSpans('toUnixTimestamp64Milli(b.reach_from)', 'toUnixTimestamp64Milli(b.reach_to)')} AS span
  FROM (
    SELECT network_id, feeder_id, reach_from, addMilliseconds(at, ${feederOnlineWindowMs + 1}) AS reach_to
    FROM ${generationTable(feederHeartbeats, generation)}
    WHERE ${isInBatch} AND reach_from < reach_to
  ) AS b
  INNER JOIN (SELECT DISTINCT network_id, feeder_id, device_id FROM ${generationTable(feederPlaces, generation)} WHERE device_id > 0) AS f
  ON b.network_id = f.network_id AND b.feeder_id = f.feeder_id`;

const maxTouchedRanges = 64;

/**
 * Limits the ranges per device and span, so that pairs grow only with the number of plays. Joins every screen that a device ever had:
 * unaffected plays get the same rows again.
 */
export const touchedScreens = (generation: number): string => `
  SELECT s.network_id AS network_id, p.screen_id AS screen_id, s.span AS span, s.times.1 AS started_at, s.times.2 AS ended_at
  FROM (
    SELECT network_id, device_id, span, arrayJoin(if(length(all_times) > ${maxTouchedRanges},
      [(arrayMin(t -> t.1, all_times), arrayMax(t -> t.2, all_times))], all_times)) AS times
    FROM (
      SELECT network_id, device_id, span, groupArray((started_at, ended_at)) AS all_times
      FROM (${detectedTimes(generation)} UNION ALL ${heartbeatTimes(generation)})
      WHERE ${isDerivedNetwork}
      GROUP BY network_id, device_id, span)
  ) AS s
  INNER JOIN (SELECT DISTINCT network_id, device_id, screen_id FROM ${generationTable(screenPlaces, generation)} WHERE device_id > 0) AS p
  ON s.network_id = p.network_id AND s.device_id = p.device_id`;

const playsOnTouchedScreens = (generation: number) => `
  SELECT l.network_id, l.vendor, l.event_id
  FROM (SELECT * FROM ${generationTable(playSpans, generation)}
        WHERE (network_id, screen_id, span) IN (SELECT network_id, screen_id, span FROM touched_screens)) AS l
  INNER JOIN touched_screens AS s
  ON l.network_id = s.network_id AND l.screen_id = s.screen_id AND l.span = s.span
  WHERE l.played_at < s.ended_at AND l.ended_at > s.started_at`;

const playsInBatch = (generation: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(plays, generation)}
  WHERE ${isInBatch}`;

const playsInWindow = (generation: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(plays, generation)}
  WHERE ${isInWindow('played_at')}`;

/** An empty id means all unknown screens of the network. */
const changedScreens = (generation: number) => `
  SELECT screen_id FROM ${generationTable(screenPlaces, generation)}
  WHERE network_id = {network:UInt64} AND version >= 2 * {changedFrom:UInt64}`;

/** A tombstone in `feeder_places` contains the former device. Moving a feeder without heartbeats near the window changes nothing. */
const devicesOfChangedFeeders = (generation: number) => `
  SELECT device_id FROM ${generationTable(feederPlaces, generation)}
  WHERE network_id = {network:UInt64} AND feeder_id IN (
    SELECT feeder_id FROM ${generationTable(feederPlaces, generation)}
    WHERE network_id = {network:UInt64} AND version >= 2 * {changedFrom:UInt64}
    AND feeder_id IN (
      SELECT feeder_id FROM ${generationTable(feederHeartbeats, generation)}
      WHERE network_id = {network:UInt64} AND span >= intDiv({fromMs:Int64} - ${feederOnlineWindowMs}, ${spanMs})
      AND span <= (SELECT intDiv(max(toUnixTimestamp64Milli(ts) + duration_ms), ${spanMs})
                   FROM ${generationTable(coffee, generation)} WHERE ${isInWindow('ts')})))`;

/** Placements and thresholds affect all plays; feeders affect only plays without audience. */
export const staleCoffeeRows: RecomputePlan['staleRowsSql'] = {
  registry: (generation) => `{everything:UInt8} = 1 OR if(site_id = 0, '', screen_id) IN (${changedScreens(generation)})
       OR screen_id IN (${changedScreens(generation)})`,
  feeders: (generation) =>
    `detection_id = '' AND device_id > 0 AND device_id IN (${devicesOfChangedFeeders(generation)})`,
};

const stalePlays = (reason: keyof typeof staleCoffeeRows) => (generation: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(coffee, generation)}
  WHERE ${isInWindow('ts')} AND (${staleCoffeeRows[reason](generation)})`;

const pendingPlays = (generation: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(playSpans, generation)}
  WHERE (network_id, screen_id, span) IN (SELECT network_id, screen_id, span FROM pending_ranges)`;

const playKeys: Readonly<Record<RecomputeReason, (generation: number) => string>> = {
  affecting: (generation) => `${playsInBatch(generation)} UNION ALL ${playsOnTouchedScreens(generation)}`,
  isolated: playsInBatch,
  registry: stalePlays('registry'),
  feeders: stalePlays('feeders'),
  released: releasedPlays,
  pending: pendingPlays,
  window: playsInWindow,
};

const selectPlays = (generation: number, reason: RecomputeReason, keys: string): string => `
  SELECT network_id, vendor, event_id, played_at${receiptColumns(reason)}
  FROM ${generationTable(plays, generation)}
  WHERE (network_id, vendor, event_id) IN (${keys})
  AND ${isDerivedNetwork} AND cityHash64(event_id) % {slices:UInt32} = {slice:UInt32}
  GROUP BY network_id, vendor, event_id, played_at`;

/** A play that was received with several start times has a row for each of them, because all their rows in `coffee` must be replaced. */
export const affectedPlays = (generation: number, reason: RecomputeReason): string =>
  selectPlays(generation, reason, playKeys[reason](generation));

/** For networks whose rows are derived later: only plays that the batch received or released. */
export const receivedPlays = (generation: number, reason: RecomputeReason): string =>
  selectPlays(generation, reason, (reason === 'released' ? releasedPlays : playsInBatch)(generation));

const spanRange = (span: string) => `fromUnixTimestamp64Milli(toInt64(${span}) * ${spanMs}, 'UTC') AS from_at,
    fromUnixTimestamp64Milli(toInt64(${span} + 1) * ${spanMs}, 'UTC') AS to_at`;

/**
 * Of a play of the batch, only the span of its start is selected. A span that detections or heartbeats of the batch affect is selected if
 * it has plays.
 */
export const putOffSpans = (generation: number, reason: RecomputeReason): string => `
  SELECT DISTINCT network_id, screen_id, ${spanRange('span')}
  FROM (
    SELECT network_id, screen_id, toUInt32(intDiv(toUnixTimestamp64Milli(played_at), ${spanMs})) AS span
    FROM ${generationTable(plays, generation)}
    WHERE (network_id, vendor, event_id) IN (SELECT network_id, vendor, event_id FROM affected_plays)
    ${
      reason === 'affecting'
        ? `UNION ALL SELECT network_id, screen_id, span FROM ${generationTable(playSpans, generation)}
    WHERE (network_id, screen_id, span) IN (SELECT network_id, screen_id, span FROM touched_screens)`
        : ''
    }
  )`;
