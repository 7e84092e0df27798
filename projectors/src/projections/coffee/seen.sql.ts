import { detections, detectionSpans } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { counts } from '../../engine/in-batch.sql.ts';
import { cutLooks } from '../rows/looks.sql.ts';
import { spanMs } from '../rows/spans.ts';

const exploded = `
  SELECT network_id, vendor, event_id, device_id, played_at, ends_at,
    arrayJoin(range(toUInt32(intDiv(toUnixTimestamp64Milli(played_at), ${spanMs})),
                    toUInt32(intDiv(toUnixTimestamp64Milli(ends_at) - 1, ${spanMs})) + 1)) AS span
  FROM resolved WHERE device_id > 0`;

/** Pairs of a play and a detection some version of which overlaps it. */
export const candidatePairs = (g: number): string => `
  SELECT DISTINCT p.network_id AS network_id, p.vendor AS vendor, p.event_id AS event_id,
    d.vendor AS detection_vendor, d.detection_id AS detection_id
  FROM (${exploded}) AS p
  INNER JOIN (SELECT * FROM ${generationTable(detectionSpans, g)}
              WHERE (network_id, device_id, span) IN (SELECT network_id, device_id, span FROM (${exploded}))) AS d
  ON p.network_id = d.network_id AND p.device_id = d.device_id AND p.span = d.span
  WHERE d.started_at < p.ends_at AND d.ended_at > p.played_at`;

/** The version of each detection that stands. */
const standing = (g: number) => `
  SELECT * FROM ${generationTable(detections, g)}
  WHERE (network_id, vendor, detection_id) IN (SELECT network_id, detection_vendor, detection_id FROM candidates)
  AND ${counts()}
  ORDER BY network_id, vendor, detection_id, revision DESC, pos DESC LIMIT 1 BY network_id, vendor, detection_id`;

/** Who was seen at which play, and how long they looked (decisions 5.1 to 5.3; domain/audience is the specification). */
export const seenPeople = (g: number): string => `
  WITH toInt64(impression_ms) AS impression_at
  SELECT *,
    toUInt8(watch_ms > 0) AS is_watched,
    toUInt8(watch_ms >= glance_ms) AS is_glance,
    toUInt8(watch_ms >= view_ms) AS is_view,
    toUInt8(presence_ms >= impression_at OR watch_ms >= glance_ms) AS is_impression,
    toUInt8(watch_ms >= view_ms AND presence_ms + view_through_slack_ms >= toInt64(duration_ms)
            AND watch_ms * 1000 >= toInt64(view_through_permille) * toInt64(duration_ms)) AS is_view_through
  FROM (
    SELECT *, arraySum(arrayMap((f, t) -> t - f, look_starts, look_ends)) AS watch_ms
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
        ${cutLooks('d.watch_starts', 'd.watch_ends', 'r.merge_gap_ms', 'from_ms', 'to_ms')}
      FROM resolved AS r
      INNER JOIN candidates AS c ON r.network_id = c.network_id AND r.vendor = c.vendor AND r.event_id = c.event_id
      INNER JOIN (${standing(g)}) AS d
        ON c.network_id = d.network_id AND c.detection_vendor = d.vendor AND c.detection_id = d.detection_id
      WHERE d.device_id = r.device_id
    )
    WHERE presence_ms >= min_presence_ms
  )`;
