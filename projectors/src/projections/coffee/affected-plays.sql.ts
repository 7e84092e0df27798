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
} from '@popsvc/read-models/tables';
import { isInBatch } from '../../engine/recompute.ts';
import type { RecomputePlan, RecomputeReason } from '../../engine/projection.ts';
import { releasedPlays } from '../dynamic-events/waiting-events.ts';
import { overlappedSpans } from '../rows/derived-rows.sql.ts';
import { spanMs } from '../rows/fact-rows.ts';
import { receiptColumns } from './receipt-outcomes.sql.ts';

/*
 * The first steps of coffee find the plays that must be computed again. Query parameters of the statements:
 * - `after`, `upTo`, `late`: the log positions of the batch (after, upTo], and late facts further back (see `isInBatch`);
 * - `network`, `fromMs`, `toMs`, `everything`: the window of a registry change; `everything` = 1 for a change of thresholds;
 * - `slices`, `slice`: the part of the affected plays to compute, when all of them at once exceed ClickHouse's limits.
 */

/**
 * Query with the columns (network_id, device_id, started_at, ended_at, span): times in which the detections of the batch may overlap
 * a play. Includes superseded versions of these detections, because the rows computed from them must be replaced.
 */
const detectedTimes = (generation: number) => `
  SELECT DISTINCT network_id, device_id, started_at, ended_at,
    ${overlappedSpans('toUnixTimestamp64Milli(started_at)', 'toUnixTimestamp64Milli(ended_at)')} AS span
  FROM ${generationTable(detections, generation)}
  WHERE (network_id, vendor, detection_id) IN (
    SELECT network_id, vendor, detection_id FROM ${generationTable(detections, generation)}
    WHERE ${isInBatch()})
  AND ended_at > started_at`;

/**
 * Query with the columns (network_id, device_id, started_at, ended_at, span): times in which a feeder heartbeat of the batch may
 * change a play without audience from UNMEASURED to NONE. These plays run at the heartbeat or begin at most 300 s after it, and no
 * earlier heartbeat of the feeder reaches them (`reach_from`).
 */
const heartbeatTimes = (generation: number) => `
  SELECT f.network_id AS network_id, f.device_id AS device_id, b.reach_from AS started_at, b.reach_to AS ended_at,
    ${overlappedSpans('toUnixTimestamp64Milli(b.reach_from)', 'toUnixTimestamp64Milli(b.reach_to)')} AS span
  FROM (
    SELECT network_id, feeder_id, reach_from, addMilliseconds(at, ${feederOnlineWindowMs + 1}) AS reach_to
    FROM ${generationTable(feederHeartbeats, generation)}
    WHERE ${isInBatch()} AND reach_from < reach_to
  ) AS b
  INNER JOIN (SELECT DISTINCT network_id, feeder_id, device_id FROM ${generationTable(feederPlaces, generation)} WHERE device_id > 0) AS f
  ON b.network_id = f.network_id AND b.feeder_id = f.feeder_id`;

/**
 * Query of `touched_screens` (network_id, screen_id, span, started_at, ended_at): the screens and times for which the batch has
 * detections or feeder heartbeats. Joins all devices and screens that ever belonged together, at any time: plays that are computed
 * again without need get the same rows, and a later step finds the placement at the start of each play.
 */
export const touchedScreens = (generation: number): string => `
  SELECT s.network_id AS network_id, p.screen_id AS screen_id, s.span AS span, s.started_at AS started_at, s.ended_at AS ended_at
  FROM (${detectedTimes(generation)} UNION ALL ${heartbeatTimes(generation)}) AS s
  INNER JOIN (SELECT DISTINCT network_id, device_id, screen_id FROM ${generationTable(screenPlaces, generation)} WHERE device_id > 0) AS p
  ON s.network_id = p.network_id AND s.device_id = p.device_id`;

/** Query of the keys of the plays that overlap a time of `touched_screens` on its screen. */
const playsOnTouchedScreens = (generation: number) => `
  SELECT l.network_id, l.vendor, l.event_id
  FROM (SELECT * FROM ${generationTable(playSpans, generation)}
        WHERE (network_id, screen_id, span) IN (SELECT network_id, screen_id, span FROM touched_screens)) AS l
  INNER JOIN touched_screens AS s
  ON l.network_id = s.network_id AND l.screen_id = s.screen_id AND l.span = s.span
  WHERE l.played_at < s.ended_at AND l.ended_at > s.started_at`;

/** Query of the keys of the plays of which the batch has a receipt. */
const playsInBatch = (generation: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(plays, generation)}
  WHERE ${isInBatch()}`;

/** SQL condition for the rows of coffee in the window of a registry change. */
const isInWindow = `network_id = {network:UInt64}
  AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;

/** Query of the screens with a placement row of this batch. The empty screen id is the row of the network, for unknown screens. */
const changedScreens = (generation: number) => `
  SELECT screen_id FROM ${generationTable(screenPlaces, generation)}
  WHERE network_id = {network:UInt64} AND version >= 2 * {upTo:UInt64}`;

/**
 * Query of the devices that got or lost a feeder in this batch; tombstones of `feeder_places` have the former device. Without feeders
 * that have no heartbeat near the plays of the window, because they change nothing.
 */
const devicesOfChangedFeeders = (generation: number) => `
  SELECT device_id FROM ${generationTable(feederPlaces, generation)}
  WHERE network_id = {network:UInt64} AND feeder_id IN (
    SELECT feeder_id FROM ${generationTable(feederPlaces, generation)}
    WHERE network_id = {network:UInt64} AND version >= 2 * {upTo:UInt64}
    AND feeder_id IN (
      SELECT feeder_id FROM ${generationTable(feederHeartbeats, generation)}
      WHERE network_id = {network:UInt64} AND span >= intDiv({fromMs:Int64} - ${feederOnlineWindowMs}, ${spanMs})
      AND span <= (SELECT intDiv(max(toUnixTimestamp64Milli(ts) + duration_ms), ${spanMs})
                   FROM ${generationTable(coffee, generation)} WHERE ${isInWindow})))`;

/**
 * SQL conditions for the rows of coffee that a registry change may make stale, among those in its window. Placements and thresholds
 * affect all plays, feeders only plays without audience.
 */
export const staleCoffeeRows: RecomputePlan['staleRowsSql'] = {
  registry: (generation) => `{everything:UInt8} = 1 OR if(site_id = 0, '', screen_id) IN (${changedScreens(generation)})
       OR screen_id IN (${changedScreens(generation)})`,
  feeders: (generation) =>
    `detection_id = '' AND device_id > 0 AND device_id IN (${devicesOfChangedFeeders(generation)})`,
};

const stalePlays = (reason: keyof typeof staleCoffeeRows) => (generation: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(coffee, generation)}
  WHERE ${isInWindow} AND (${staleCoffeeRows[reason](generation)})`;

const playKeys: Readonly<Record<RecomputeReason, (generation: number) => string>> = {
  affecting: (generation) => `${playsInBatch(generation)} UNION ALL ${playsOnTouchedScreens(generation)}`,
  isolated: playsInBatch,
  registry: stalePlays('registry'),
  feeders: stalePlays('feeders'),
  released: releasedPlays,
};

/**
 * Query of `affected_plays` (network_id, vendor, event_id, played_at, and the receipt columns where the reason has them): the plays to
 * compute again, or one slice of them. A play has a row for each start that one of its receipts had, duplicates and conflicts
 * included, because the rows of coffee stored with each of these starts must be replaced.
 */
export const affectedPlays = (generation: number, reason: RecomputeReason): string => `
  SELECT network_id, vendor, event_id, played_at${receiptColumns(reason)}
  FROM ${generationTable(plays, generation)}
  WHERE (network_id, vendor, event_id) IN (${playKeys[reason](generation)})
  AND cityHash64(event_id) % {slices:UInt16} = {slice:UInt16}
  GROUP BY network_id, vendor, event_id, played_at`;
