import { coffeeThresholds, plays, screenPlaces } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { counts } from '../../engine/in-batch.sql.ts';

const minuteOfWeek = `(toUInt16(formatDateTime(played_at, '%u', site_tz)) - 1) * 1440
    + toUInt16(formatDateTime(played_at, '%H', site_tz)) * 60 + toUInt16(formatDateTime(played_at, '%i', site_tz))`;

const places = (g: number, where: string) => `(
    SELECT * FROM ${generationTable(screenPlaces, g)} FINAL WHERE ${where})`;

/** The plays that stand (the first in the log of each id) with the place and the thresholds in force at their start. */
export const resolvedPlays = (g: number): string => `
  SELECT *, addMilliseconds(played_at, duration_ms) AS ends_at, ${minuteOfWeek} AS minute,
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
      SELECT * FROM ${generationTable(plays, g)}
      WHERE (network_id, vendor, event_id) IN (SELECT network_id, vendor, event_id FROM affected) AND ${counts()}
      ORDER BY network_id, vendor, event_id, pos LIMIT 1 BY network_id, vendor, event_id
    ) AS p
    ASOF LEFT JOIN ${places(g, `screen_id != ''`)} AS s
      ON p.network_id = s.network_id AND p.screen_id = s.screen_id AND p.played_at >= s.valid_from
    ASOF LEFT JOIN ${places(g, `screen_id = ''`)} AS n
      ON p.network_id = n.network_id AND p.played_at >= n.valid_from
    ASOF LEFT JOIN (SELECT * FROM ${generationTable(coffeeThresholds, g)} FINAL) AS t
      ON p.network_id = t.network_id AND p.played_at >= t.valid_from
  )`;
