import { feederOnlineWindowMs } from '@popsvc/domain/audience';
import { generationTable } from '@popsvc/platform/clickhouse';
import { minuteOfWeekSql } from '@popsvc/read-models/queries';
import {
  coffeeThresholds,
  detections,
  detectionSpans,
  feederHeartbeats,
  feederPlaces,
  plays,
  screenPlaces,
  spanMs,
} from '@popsvc/read-models/tables';
import { isKnown } from '../../engine/recompute.ts';
import { clippedWatches, overlappedSpans } from '../rows/derived-rows.sql.ts';

/* `attributeAudience` and `wasFeederOnline` of test/src/oracle/audience.ts implement the same rules for a differential test. */

const placementRows = (generation: number, where: string) => `(
    SELECT * FROM ${generationTable(screenPlaces, generation)} FINAL WHERE ${where})`;

/**
 * For an unregistered screen, `is_business_hour` is NULL, and `site_tz` is the time zone of the network (the placement with an empty screen
 * id), else UTC.
 */
export const placedPlays = (generation: number): string => `
  SELECT *, addMilliseconds(played_at, duration_ms) AS ends_at, ${minuteOfWeekSql('played_at', 'site_tz')} AS minute,
    if(known = 1, arrayExists((o, c) -> minute >= o AND minute < c, opens, closes), NULL) AS is_business_hour
  FROM (
    SELECT p.network_id AS network_id, p.vendor AS vendor, p.event_id AS event_id, p.pos AS pos, p.recorded_at AS recorded_at,
      p.screen_id AS screen_id, p.campaign_ref AS campaign_ref, p.creative_ref AS creative_ref,
      p.played_at AS played_at, p.duration_ms AS duration_ms, p.play_reason AS play_reason,
      s.known AS known, s.device_id AS device_id, s.location_id AS location_id, s.site_id AS site_id,
      toString(s.device_tz) AS device_tz, s.opens AS opens, s.closes AS closes,
      multiIf(s.known = 1, toString(s.site_tz), n.site_tz != '', toString(n.site_tz), 'UTC') AS site_tz,
      t.min_presence_ms AS min_presence_ms, t.merge_gap_ms AS merge_gap_ms, t.impression_ms AS impression_ms,
      t.glance_ms AS glance_ms, t.view_ms AS view_ms, t.view_through_slack_ms AS view_through_slack_ms,
      t.view_through_permille AS view_through_permille
    FROM (
      SELECT * FROM ${generationTable(plays, generation)}
      WHERE (network_id, vendor, event_id) IN (SELECT network_id, vendor, event_id FROM affected_plays) AND ${isKnown}
      ORDER BY network_id, vendor, event_id, pos LIMIT 1 BY network_id, vendor, event_id
    ) AS p
    ASOF LEFT JOIN ${placementRows(generation, `screen_id != ''`)} AS s
      ON p.network_id = s.network_id AND p.screen_id = s.screen_id AND p.played_at >= s.valid_from
    ASOF LEFT JOIN ${placementRows(generation, `screen_id = ''`)} AS n
      ON p.network_id = n.network_id AND p.played_at >= n.valid_from
    ASOF LEFT JOIN (SELECT * FROM ${generationTable(coffeeThresholds, generation)} FINAL) AS t
      ON p.network_id = t.network_id AND p.played_at >= t.valid_from
  )`;

const placedPlaySpans = `
  SELECT network_id, vendor, event_id, device_id, played_at, ends_at,
    ${overlappedSpans('toUnixTimestamp64Milli(played_at)', 'toUnixTimestamp64Milli(ends_at)')} AS span
  FROM placed_plays WHERE device_id > 0`;

const bucketMs = 60_000;
const bucketsOfSpan = spanMs / bucketMs;

const overlappedMinutes = (from: string, to: string) => `arrayMap(m -> toUInt64(
      toUnixTimestamp64Milli(${from}) < toInt64(span) * ${spanMs} + (m + 1) * ${bucketMs}
      AND toUnixTimestamp64Milli(${to}) >= toInt64(span) * ${spanMs} + m * ${bucketMs}), range(${bucketsOfSpan}))`;

/** `pairs` is an upper bound of the overlapping pairs: plays × detections, summed over the minutes of the span. */
export const busySpans = (generation: number): string => `
  SELECT p.network_id AS network_id, p.device_id AS device_id, p.span AS span,
    arraySum(arrayMap((a, b) -> a * b, p.minutes, d.minutes)) AS pairs
  FROM (
    SELECT network_id, device_id, span, sumForEach(${overlappedMinutes('played_at', 'ends_at')}) AS minutes
    FROM (${placedPlaySpans}) GROUP BY network_id, device_id, span) AS p
  INNER JOIN (
    SELECT network_id, device_id, span, sumForEach(${overlappedMinutes('started_at', 'ended_at')}) AS minutes
    FROM ${generationTable(detectionSpans, generation)}
    WHERE (network_id, device_id, span) IN (SELECT network_id, device_id, span FROM (${placedPlaySpans}))
    GROUP BY network_id, device_id, span) AS d
  ON p.network_id = d.network_id AND p.device_id = d.device_id AND p.span = d.span`;

/** Any version of a detection may overlap the play. The join by five-minute span avoids reading detections far from all plays. */
export const candidateDetections = (generation: number): string => `
  SELECT DISTINCT p.network_id AS network_id, p.vendor AS vendor, p.event_id AS event_id,
    d.vendor AS detection_vendor, d.detection_id AS detection_id
  FROM (${placedPlaySpans}) AS p
  INNER JOIN (SELECT * FROM ${generationTable(detectionSpans, generation)}
              WHERE (network_id, device_id, span) IN (SELECT network_id, device_id, span FROM busy_spans)) AS d
  ON p.network_id = d.network_id AND p.device_id = d.device_id AND p.span = d.span
  WHERE d.started_at < p.ends_at AND d.ended_at > p.played_at`;

const currentDetections = (generation: number) => `
  SELECT * FROM ${generationTable(detections, generation)}
  WHERE (network_id, vendor, detection_id) IN (SELECT network_id, detection_vendor, detection_id FROM candidate_detections)
  AND ${isKnown}
  ORDER BY network_id, vendor, detection_id, revision DESC, pos DESC LIMIT 1 BY network_id, vendor, detection_id`;

export const presentAudience = (generation: number): string => `
  WITH toInt64(impression_ms) AS impression_at
  SELECT *,
    toUInt8(watch_ms > 0) AS is_watched,
    toUInt8(watch_ms >= glance_ms) AS is_glance,
    toUInt8(watch_ms >= view_ms) AS is_view,
    toUInt8(presence_ms >= impression_at OR watch_ms >= glance_ms) AS is_impression,
    toUInt8(watch_ms >= view_ms AND presence_ms + view_through_slack_ms >= toInt64(duration_ms)
            AND watch_ms * 1000 >= toInt64(view_through_permille) * toInt64(duration_ms)) AS is_view_through
  FROM (
    SELECT *, arraySum(arrayMap((f, t) -> t - f, clipped_starts, clipped_ends)) AS watch_ms
    FROM (
      SELECT r.network_id AS network_id, r.vendor AS vendor, r.event_id AS event_id, r.duration_ms AS duration_ms,
        r.min_presence_ms AS min_presence_ms, r.impression_ms AS impression_ms, r.glance_ms AS glance_ms, r.view_ms AS view_ms,
        r.view_through_slack_ms AS view_through_slack_ms, r.view_through_permille AS view_through_permille,
        d.vendor AS detection_vendor, d.detection_id AS detection_id, d.pos AS detection_pos, d.recorded_at AS detected_recorded_at,
        d.feeder_id AS feeder_id, d.watcher_id AS watcher_id, d.reid AS reid,
        d.started_at AS detected_from, d.ended_at AS detected_to, d.gender AS gender, d.age AS age,
        d.age_category AS age_category, d.mood AS mood, d.distance AS distance, d.population AS population,
        toUnixTimestamp64Milli(greatest(r.played_at, d.started_at)) AS from_ms,
        toUnixTimestamp64Milli(least(r.ends_at, d.ended_at)) AS to_ms,
        to_ms - from_ms AS presence_ms,
        ${clippedWatches('r.merge_gap_ms')}
      FROM placed_plays AS r
      INNER JOIN candidate_detections AS c ON r.network_id = c.network_id AND r.vendor = c.vendor AND r.event_id = c.event_id
      INNER JOIN (${currentDetections(generation)}) AS d
        ON c.network_id = d.network_id AND c.detection_vendor = d.vendor AND c.detection_id = d.detection_id
      WHERE d.device_id = r.device_id
    )
    WHERE presence_ms >= min_presence_ms
  )`;

/** A feeder was online if it sent a heartbeat in the window [start − 300 s, end) of a play. */
export const feederWindows = (generation: number): string => `
  SELECT network_id, vendor, event_id, feeder_id, from_ms, to_ms,
    ${overlappedSpans('from_ms', 'to_ms')} AS span
  FROM (
    SELECT p.network_id AS network_id, p.vendor AS vendor, p.event_id AS event_id, p.feeder_id AS feeder_id,
      toUnixTimestamp64Milli(p.played_at) - ${feederOnlineWindowMs} AS from_ms, toUnixTimestamp64Milli(p.ends_at) AS to_ms
    FROM (
      SELECT r.network_id AS network_id, r.vendor AS vendor, r.event_id AS event_id, r.device_id AS device_id,
        r.played_at AS played_at, r.ends_at AS ends_at, f.feeder_id AS feeder_id
      FROM placed_plays AS r
      INNER JOIN (SELECT DISTINCT network_id, device_id, feeder_id FROM ${generationTable(feederPlaces, generation)}) AS f
      ON r.network_id = f.network_id AND r.device_id = f.device_id
      WHERE r.device_id > 0 AND (r.network_id, r.vendor, r.event_id) NOT IN (SELECT network_id, vendor, event_id FROM audience)
    ) AS p
    ASOF LEFT JOIN (SELECT * FROM ${generationTable(feederPlaces, generation)} FINAL) AS w
      ON p.network_id = w.network_id AND p.feeder_id = w.feeder_id AND p.played_at >= w.valid_from
    WHERE w.device_id = p.device_id
  )`;

/** Plays without audience for which a feeder was online get the `pop_type` NONE instead of UNMEASURED. */
export const onlinePlays = (generation: number): string => `
  SELECT DISTINCT w.network_id AS network_id, w.vendor AS vendor, w.event_id AS event_id
  FROM feeder_windows AS w
  INNER JOIN (SELECT network_id, span, feeder_id, at FROM ${generationTable(feederHeartbeats, generation)}
              WHERE (network_id, span, feeder_id) IN (SELECT network_id, span, feeder_id FROM feeder_windows) AND ${isKnown}) AS b
  ON w.network_id = b.network_id AND w.span = b.span AND w.feeder_id = b.feeder_id
  WHERE toUnixTimestamp64Milli(b.at) >= w.from_ms AND toUnixTimestamp64Milli(b.at) < w.to_ms`;
