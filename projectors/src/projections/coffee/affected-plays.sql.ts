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
import type { RecomputeReason, RecomputePlan } from '../../engine/projection.ts';
import { releasedPlays } from '../dynamic-events/waiting-events.ts';
import { spanMs } from '../rows/fact-rows.ts';
import { hasNoReceipts, toldReceipts } from './receipt-outcomes.sql.ts';

/** Plays that begin within five minutes of a beat, or run at it, as far as no earlier beat had told of their feeder. */
const reachedByBeats = (g: number) => `
  SELECT f.network_id AS network_id, f.device_id AS device_id, b.reach_from AS started_at, b.reach_to AS ended_at,
    arrayJoin(range(toUInt32(intDiv(toUnixTimestamp64Milli(b.reach_from), ${spanMs})),
                    toUInt32(intDiv(toUnixTimestamp64Milli(b.reach_to) - 1, ${spanMs})) + 1)) AS span
  FROM (
    SELECT network_id, feeder_id, reach_from, addMilliseconds(at, ${feederOnlineWindowMs + 1}) AS reach_to
    FROM ${generationTable(feederHeartbeats, g)}
    WHERE ${isInBatch()} AND reach_from < reach_to
  ) AS b
  INNER JOIN (SELECT DISTINCT network_id, feeder_id, device_id FROM ${generationTable(feederPlaces, g)} WHERE device_id > 0) AS f
  ON b.network_id = f.network_id AND b.feeder_id = f.feeder_id`;

/** Rows of coffee in the stretch of a change, or in a day of it. */
const coffeeWindow = `network_id = {network:UInt64}
  AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;

/** Devices that a feeder had, has or lost whose segments this batch wrote, if it was heard where a play of the stretch asks. */
const regrouped = (g: number) => `
  SELECT device_id FROM ${generationTable(feederPlaces, g)}
  WHERE network_id = {network:UInt64} AND feeder_id IN (
    SELECT feeder_id FROM ${generationTable(feederPlaces, g)}
    WHERE network_id = {network:UInt64} AND version >= 2 * {upTo:UInt64}
    AND feeder_id IN (
      SELECT feeder_id FROM ${generationTable(feederHeartbeats, g)}
      WHERE network_id = {network:UInt64} AND span >= intDiv({fromMs:Int64} - ${feederOnlineWindowMs}, ${spanMs})
      AND span <= (SELECT intDiv(max(toUnixTimestamp64Milli(ts) + duration_ms), ${spanMs})
                   FROM ${generationTable(coffee, g)} WHERE ${coffeeWindow})))`;

/** Rows that a change of feeders may make stale: where somebody was seen, feeders say nothing. */
const ofRegroupedFeeders = (g: number): string =>
  `detection_id = '' AND device_id > 0 AND device_id IN (${regrouped(g)})`;

const named = (g: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(plays, g)}
  WHERE ${isInBatch()}`;

/** Every version of the detections the batch names, also superseded ones: what they touched must give way. */
const spans = (g: number) => `
  SELECT DISTINCT network_id, device_id, started_at, ended_at,
    arrayJoin(range(toUInt32(intDiv(toUnixTimestamp64Milli(started_at), ${spanMs})),
                    toUInt32(intDiv(toUnixTimestamp64Milli(ended_at) - 1, ${spanMs})) + 1)) AS span
  FROM ${generationTable(detections, g)}
  WHERE (network_id, vendor, detection_id) IN (
    SELECT network_id, vendor, detection_id FROM ${generationTable(detections, g)}
    WHERE ${isInBatch()})
  AND ended_at > started_at`;

/** Where and when the batch's detections looked and its feeders were heard. Devices and screens that ever belonged together: more than needed does no harm. */
export const touchedScreens = (g: number): string => `
  SELECT s.network_id AS network_id, p.screen_id AS screen_id, s.span AS span, s.started_at AS started_at, s.ended_at AS ended_at
  FROM (${spans(g)} UNION ALL ${reachedByBeats(g)}) AS s
  INNER JOIN (SELECT DISTINCT network_id, device_id, screen_id FROM ${generationTable(screenPlaces, g)} WHERE device_id > 0) AS p
  ON s.network_id = p.network_id AND s.device_id = p.device_id`;

const overlapped = (g: number) => `
  SELECT l.network_id, l.vendor, l.event_id
  FROM (SELECT * FROM ${generationTable(playSpans, g)}
        WHERE (network_id, screen_id, span) IN (SELECT network_id, screen_id, span FROM touched)) AS l
  INNER JOIN touched AS s
  ON l.network_id = s.network_id AND l.screen_id = s.screen_id AND l.span = s.span
  WHERE l.played_at < s.ended_at AND l.ended_at > s.started_at`;

/** Screens whose segments this batch wrote; the empty one stands for all that the registry does not know. */
const changedScreens = (g: number) => `
  SELECT screen_id FROM ${generationTable(screenPlaces, g)}
  WHERE network_id = {network:UInt64} AND version >= 2 * {upTo:UInt64}`;

/** Rows of coffee that a change of the registry may make stale: by place or thresholds, or by feeders. */
export const staleCoffee: RecomputePlan['staleRowsSql'] = {
  registry: (g) => `{everything:UInt8} = 1 OR if(site_id = 0, '', screen_id) IN (${changedScreens(g)})
       OR screen_id IN (${changedScreens(g)})`,
  feeders: ofRegroupedFeeders,
};

const moved = (reason: keyof typeof staleCoffee) => (g: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(coffee, g)}
  WHERE ${coffeeWindow} AND (${staleCoffee[reason](g)})`;

/** Plays of a window by the first of their spans: each is met where it begins. */
export const wholeCoffee: RecomputePlan['facts'] = {
  table: playSpans,
  at: `toInt64(span) * ${spanMs}`,
  widthMs: spanMs,
  where: `span = intDiv(toUnixTimestamp64Milli(played_at), ${spanMs})`,
};

const begun = (g: number) => `
  SELECT network_id, vendor, event_id FROM ${generationTable(playSpans, g)}
  WHERE network_id = {network:UInt64} AND ${wholeCoffee.where}
  AND span >= intDiv({fromMs:Int64}, ${spanMs}) AND span < intDiv({toMs:Int64}, ${spanMs})`;

const affecting: Readonly<Record<RecomputeReason, (g: number) => string>> = {
  batch: (g) => `${named(g)} UNION ALL ${overlapped(g)}`,
  alone: named,
  registry: moved('registry'),
  feeders: moved('feeders'),
  released: releasedPlays,
  rebuild: begun,
};

/** The plays to compute again, or a slice of them, with every start any receipt gave them: rows under an old start must go. */
export const affectedPlays = (g: number, reason: RecomputeReason): string => `
  SELECT network_id, vendor, event_id, played_at${hasNoReceipts(reason) ? '' : `, ${toldReceipts[reason]}`}
  FROM ${generationTable(plays, g)}
  WHERE (network_id, vendor, event_id) IN (${affecting[reason](g)})
  AND cityHash64(event_id) % {slices:UInt16} = {slice:UInt16}
  GROUP BY network_id, vendor, event_id, played_at`;
