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
 * The first steps of the recompute plan find the plays whose `coffee` rows must be computed again. Query parameters:
 * - `after`, `upTo`, `late`: the batch contains the items with sequences in (after, upTo]. It also applies the items with the sequences in
 *   `late`, which are older and were parked before (see `isInBatch`).
 * - `network`, `lastNetwork`, `fromMs`, `toMs`, `everything`: a time window of consecutive networks (see `isInWindow`); `everything` = 1 if
 *   all rows in the window are stale, for example because thresholds changed.
 * - `slices`, `slice`: the number of parts into which the affected plays are split, and the index of the part to compute. There are several
 *   parts only if computing all plays at once exceeds `unitPairs` or a resource limit of ClickHouse.
 * - `networks`, `isListed`: the networks whose derivation is put off (see `isDerivedNetwork`).
 * - `changedFrom`: first sequence of the batch with a registry change.
 */

/**
 * Selects the time ranges of the batch's detections by device, because plays that overlap them may change. Also selects the time ranges of
 * former versions of these detections, because rows computed from former versions must be replaced.
 */
const detectedTimes = (generation: number) => `
  SELECT DISTINCT network_id, device_id, started_at, ended_at,
    ${overlappedSpans('toUnixTimestamp64Milli(started_at)', 'toUnixTimestamp64Milli(ended_at)')} AS span
  FROM ${generationTable(detections, generation)}
  WHERE (network_id, vendor, detection_id) IN (
    SELECT network_id, vendor, detection_id FROM ${generationTable(detections, generation)}
    WHERE ${isInBatch})
  AND ended_at > started_at`;

/**
 * Selects the time ranges in which feeder heartbeats of the batch may change plays without audience from UNMEASURED to NONE. Such a play is
 * running at the time of the heartbeat, or begins up to 300 s later. `reach_from` excludes plays that an earlier heartbeat of the feeder
 * affects already.
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

/** If a device has more time ranges than this in a span, one range that covers them replaces them. */
const maxTouchedRanges = 64;

/**
 * Selects the rows of `touched_screens`: the screens and time ranges that the batch's detections and feeder heartbeats affect. Limits the
 * ranges of a device in a span, so that the number of pairs of plays and ranges grows only with the number of plays.
 *
 * Joins each device with every screen that was ever assigned to it. This may select too many plays, which is harmless: an unaffected play
 * gets the same rows again, and a later step finds the right placement at the start of each play.
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

/** Selects the keys of plays whose screen and time match a row of `touched_screens`. */
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

/** Selects the keys of plays with a receipt that starts in the time window. */
const playsInWindow = (generation: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(plays, generation)}
  WHERE ${isInWindow('played_at')}`;

/** Selects the screens whose placement was written since the change. An empty id means all unknown screens of the network. */
const changedScreens = (generation: number) => `
  SELECT screen_id FROM ${generationTable(screenPlaces, generation)}
  WHERE network_id = {network:UInt64} AND version >= 2 * {changedFrom:UInt64}`;

/**
 * Selects the devices that gained or lost a feeder since the change; a tombstone in `feeder_places` contains the former device. Ignores
 * feeders without a heartbeat between 300 s before the window and the end of its last play, because moving them changes nothing.
 */
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

/**
 * SQL conditions for rows of `coffee`, in the time window of a registry change, that the change may make stale. Placements and thresholds
 * affect all plays; feeders affect only plays without audience.
 */
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

/**
 * Selects the rows of `affected_plays`: the plays to compute again, or one slice of them. Includes the receipt columns if outcomes of
 * receipts may change (see `changesReceipts`). A play that was received with several start times has one row for each of
 * them, because `coffee` may contain rows with any of these times, and all of them must be replaced.
 */
export const affectedPlays = (generation: number, reason: RecomputeReason): string =>
  selectPlays(generation, reason, playKeys[reason](generation));

/** Selects the rows of `affected_plays` for networks whose rows are derived later: only plays that the batch received or released. */
export const receivedPlays = (generation: number, reason: RecomputeReason): string =>
  selectPlays(generation, reason, (reason === 'released' ? releasedPlays : playsInBatch)(generation));

const spanRange = (span: string) => `fromUnixTimestamp64Milli(toInt64(${span}) * ${spanMs}, 'UTC') AS from_at,
    fromUnixTimestamp64Milli(toInt64(${span} + 1) * ${spanMs}, 'UTC') AS to_at`;

/**
 * Selects the rows of `put_off`: the screens and spans whose plays are derived later. A play of the batch is only in the span of its start.
 * A span that detections or heartbeats of the batch affect is selected if it has plays.
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
