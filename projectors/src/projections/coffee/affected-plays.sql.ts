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
 * The first steps of coffee: which plays must be computed again, and why. The statements take these query parameters:
 * - `after`, `upTo`, `late`: the log positions of the batch (after, upTo], and late facts further back (see `isInBatch`);
 * - `network`, `fromMs`, `toMs`, `everything`: the window of a registry change; `everything` = 1 for a change of thresholds;
 * - `slices`, `slice`: the part of the affected plays to compute, when all of them at once exceed ClickHouse's limits.
 */

/**
 * Columns (network_id, device_id, started_at, ended_at, span): the time in which each detection of the batch may have seen a play.
 * All versions of these detections count, superseded ones too: the rows computed from them must be replaced.
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
 * Columns (network_id, device_id, started_at, ended_at, span): the time in which a feeder heartbeat of the batch may turn a play
 * without audience from UNMEASURED to NONE. These are plays that run at the heartbeat or begin at most 300 s after it, except those
 * that an earlier heartbeat of the feeder reaches as well (`reach_from`).
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
 * `touched_screens` (network_id, screen_id, span, started_at, ended_at): the screens and times for which the batch brings detections
 * or feeder heartbeats. It joins all devices and screens that ever belonged together, whatever the time: a play too many is computed
 * to the same rows again, and the placement at the start of each play is resolved later.
 */
export const touchedScreens = (generation: number): string => `
  SELECT s.network_id AS network_id, p.screen_id AS screen_id, s.span AS span, s.started_at AS started_at, s.ended_at AS ended_at
  FROM (${detectedTimes(generation)} UNION ALL ${heartbeatTimes(generation)}) AS s
  INNER JOIN (SELECT DISTINCT network_id, device_id, screen_id FROM ${generationTable(screenPlaces, generation)} WHERE device_id > 0) AS p
  ON s.network_id = p.network_id AND s.device_id = p.device_id`;

/** Keys of the plays on a touched screen that overlap a touched time. */
const playsOnTouchedScreens = (generation: number) => `
  SELECT l.network_id, l.vendor, l.event_id
  FROM (SELECT * FROM ${generationTable(playSpans, generation)}
        WHERE (network_id, screen_id, span) IN (SELECT network_id, screen_id, span FROM touched_screens)) AS l
  INNER JOIN touched_screens AS s
  ON l.network_id = s.network_id AND l.screen_id = s.screen_id AND l.span = s.span
  WHERE l.played_at < s.ended_at AND l.ended_at > s.started_at`;

/** Keys of the plays of which the batch holds a receipt. */
const playsInBatch = (generation: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(plays, generation)}
  WHERE ${isInBatch()}`;

/** Rows of coffee in the window of a registry change. */
const isInWindow = `network_id = {network:UInt64}
  AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;

/** Screens with a placement row that this batch wrote. The empty screen id is the network's row, which places all unknown screens. */
const changedScreens = (generation: number) => `
  SELECT screen_id FROM ${generationTable(screenPlaces, generation)}
  WHERE network_id = {network:UInt64} AND version >= 2 * {upTo:UInt64}`;

/**
 * Devices that gained or lost a feeder by this batch (tombstones of `feeder_places` name the former device). A feeder without a
 * heartbeat in reach of the window's plays changes nothing and is left out.
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
 * Conditions on rows of coffee in the window of a registry change that select the rows it may make stale: by placement or
 * thresholds; by feeders, which matter only to plays without audience.
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
  batch: (generation) => `${playsInBatch(generation)} UNION ALL ${playsOnTouchedScreens(generation)}`,
  alone: playsInBatch,
  registry: stalePlays('registry'),
  feeders: stalePlays('feeders'),
  released: releasedPlays,
};

/**
 * `affected_plays` (network_id, vendor, event_id, played_at, and the receipt columns where the reason has them): the plays to compute
 * again, or one slice of them. A play has a row for each start that any of its receipts gave, also one that a duplicate or conflict
 * gave: rows of coffee stored under another start must be replaced as well.
 */
export const affectedPlays = (generation: number, reason: RecomputeReason): string => `
  SELECT network_id, vendor, event_id, played_at${receiptColumns(reason)}
  FROM ${generationTable(plays, generation)}
  WHERE (network_id, vendor, event_id) IN (${playKeys[reason](generation)})
  AND cityHash64(event_id) % {slices:UInt16} = {slice:UInt16}
  GROUP BY network_id, vendor, event_id, played_at`;
