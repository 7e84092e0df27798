import { feederHeartbeats, feederPlaces } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { feederOnlineWindowMs } from '@popsvc/domain/audience';
import { spanMs } from '../rows/spans.ts';

/** Plays nobody was seen at, with each feeder that was the device's when the play began, and when it had to be heard. */
export const feederWindows = (g: number): string => `
  SELECT network_id, vendor, event_id, feeder_id, from_ms, to_ms,
    arrayJoin(range(toUInt32(intDiv(from_ms, ${spanMs})), toUInt32(intDiv(to_ms - 1, ${spanMs})) + 1)) AS span
  FROM (
    SELECT p.network_id AS network_id, p.vendor AS vendor, p.event_id AS event_id, p.feeder_id AS feeder_id,
      toUnixTimestamp64Milli(p.played_at) - ${feederOnlineWindowMs} AS from_ms, toUnixTimestamp64Milli(p.ends_at) AS to_ms
    FROM (
      SELECT r.network_id AS network_id, r.vendor AS vendor, r.event_id AS event_id, r.device_id AS device_id,
        r.played_at AS played_at, r.ends_at AS ends_at, f.feeder_id AS feeder_id
      FROM resolved AS r
      INNER JOIN (SELECT DISTINCT network_id, device_id, feeder_id FROM ${generationTable(feederPlaces, g)}) AS f
      ON r.network_id = f.network_id AND r.device_id = f.device_id
      WHERE r.device_id > 0 AND (r.network_id, r.vendor, r.event_id) NOT IN (SELECT network_id, vendor, event_id FROM seen)
    ) AS p
    ASOF LEFT JOIN (SELECT * FROM ${generationTable(feederPlaces, g)} FINAL) AS w
      ON p.network_id = w.network_id AND p.feeder_id = w.feeder_id AND p.played_at >= w.valid_from
    WHERE w.device_id = p.device_id
  )`;

/** Plays at which nobody was seen although a feeder was online (decisions 5.2; domain/audience is the specification). */
export const onlinePlays = (g: number): string => `
  SELECT DISTINCT w.network_id AS network_id, w.vendor AS vendor, w.event_id AS event_id
  FROM windows AS w
  INNER JOIN (SELECT network_id, span, feeder_id, at FROM ${generationTable(feederHeartbeats, g)}
              WHERE (network_id, span, feeder_id) IN (SELECT network_id, span, feeder_id FROM windows)) AS b
  ON w.network_id = b.network_id AND w.span = b.span AND w.feeder_id = b.feeder_id
  WHERE toUnixTimestamp64Milli(b.at) >= w.from_ms AND toUnixTimestamp64Milli(b.at) < w.to_ms`;
