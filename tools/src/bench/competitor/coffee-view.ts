const ms = (interval: string) => `(extract(epoch FROM ${interval}) * 1000)::int`;
const local = (instant: string) => `site_time(${instant}, tz)`;
const label = (format: string) => `to_char(played_at AT TIME ZONE tz, '${format}')`;
const flagged = (flag: string, of: string) => `CASE WHEN ${flag} THEN ${of} / 1000.0 ELSE 0 END::float8`;
const watchTimes = (end: 'lower' | 'upper') =>
  `CASE WHEN detection_id IS NOT NULL THEN coalesce((SELECT json_agg(${local(`${end}(r)`)} ORDER BY r) FROM unnest(watch_ranges) AS r), '[]') END`;

/** SQL function that formats a time as `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm` in a time zone. */
const siteTime = `
CREATE FUNCTION site_time(at timestamptz, zone text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_char(at AT TIME ZONE zone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') || to_char(
    extract(epoch FROM (at AT TIME ZONE zone) - (at AT TIME ZONE 'UTC'))::int / 3600 * 100
      + extract(epoch FROM (at AT TIME ZONE zone) - (at AT TIME ZONE 'UTC'))::int % 3600 / 60,
    'SG00":"00')
$$;`;

/** View with one row for each person present during a play, and one row for each play during which no person was present. */
const matched = `
CREATE VIEW matched AS
SELECT p.*, s.device_id, dev.name AS device_name, dev.location_id, l.name AS location_name, l.site_id, si.name AS site_name,
  coalesce(si.timezone, n.timezone) AS tz, coalesce(dev.timezone, si.timezone) AS device_tz, n.name AS network_name,
  t.impression_ms, t.glance_ms, t.view_ms, t.view_through_slack_ms, t.view_through_share,
  d.id AS detection_id, d.feeder_id, d.watcher_id, d.reid, d.started_at, d.ended_at, d.gender, d.age, d.age_category,
  d.mood, d.distance, d.population, d.watch_ranges, d.presence_ms,
  CASE WHEN d.id IS NULL THEN 0
    ELSE coalesce((SELECT sum(${ms('upper(r) - lower(r)')}) FROM unnest(d.watch_ranges) AS r), 0) END::int AS watch_ms
FROM plays p
JOIN networks n ON n.id = p.network_id
JOIN thresholds t ON t.network_id = p.network_id AND t.effective @> p.played_at
LEFT JOIN screens s ON s.network_id = p.network_id AND s.screen_ref = p.screen_ref
LEFT JOIN devices dev ON dev.id = s.device_id
LEFT JOIN locations l ON l.id = dev.location_id
LEFT JOIN sites si ON si.id = l.site_id
LEFT JOIN LATERAL (
  SELECT d.*, d.watches * tstzmultirange(tstzrange(p.played_at, p.ends_at)) AS watch_ranges,
    ${ms('least(d.ended_at, p.ends_at) - greatest(d.started_at, p.played_at)')} AS presence_ms
  FROM detections d
  WHERE d.device_id = s.device_id AND d.started_at < p.ends_at AND d.ended_at > p.played_at
    AND d.started_at > p.played_at - dev.longest_detection - interval '1 ms'
    AND ${ms('least(d.ended_at, p.ends_at) - greatest(d.started_at, p.played_at)')} >= t.min_presence_ms
) d ON true;`;

/** View that adds the audience metrics (impression, glance, view, view-through) to the rows of `matched`. */
const measured = `
CREATE VIEW measured AS
SELECT m.*,
  detection_id IS NOT NULL AND (presence_ms >= impression_ms OR watch_ms >= glance_ms) AS is_impression,
  watch_ms > 0 AS is_watched,
  watch_ms >= glance_ms AS is_glance,
  watch_ms >= view_ms AS is_view,
  watch_ms >= view_ms AND presence_ms >= duration_ms - view_through_slack_ms
    AND watch_ms >= view_through_share * duration_ms AS is_view_through
FROM matched m;`;

const columns: Readonly<Record<string, string>> = {
  POP_TYPE: `coalesce(population, 'UNMEASURED')`,
  PLAY_REASON: 'play_reason',
  CAMPAIGN_ID: 'c.id',
  CAMPAIGN_NAME: 'c.name',
  TARGET_STRATEGY_ID: 'c.strategy_id',
  STRATEGY_NAME: 'c.strategy_name',
  MEDIA_PLAYER_NAME: 'v.name',
  EVENT_ID: 'event_id',
  TITLE: 'cr.title',
  DISPLAY_TITLE: 'cr.display_title',
  PLAYOUT: '(duration_ms / 1000.0)::float8',
  DT_START_SITE_TZ: local('played_at'),
  DT_END_SITE_TZ: local('ends_at'),
  WATCHERID: 'watcher_id',
  SITE_TIMESTAMP_SITE_TZ: local('greatest(played_at, started_at)'),
  WATCH_TIMESTAMP_SITE_TZ_DETAILS: watchTimes('lower'),
  WATCH_TIMESTAMP_END_SITE_TZ_DETAILS: watchTimes('upper'),
  DETECTION_TIMESTAMP_SITE_TZ: local('started_at'),
  DETECTION_TIMESTAMP_END_SITE_TZ: local('ended_at'),
  REID: 'reid',
  START_TIME: watchTimes('lower'),
  GENDER: 'gender',
  AGE: 'age',
  AGE_CATEGORY: 'age_category',
  GENDER_AGE_CATEGORY: `gender || '_' || age_category`,
  MOOD: 'mood',
  DISTANCE: `CASE WHEN cardinality(distance) > 0 THEN to_json(distance) END`,
  ATTENTION: 'CASE WHEN detection_id IS NOT NULL THEN (200 * watch_ms + presence_ms) / (2 * presence_ms) END',
  DURATION: `(${ms('ended_at - started_at')} / 1000.0)::float8`,
  WATCH_TIME: 'CASE WHEN detection_id IS NOT NULL THEN watch_ms / 1000.0 END::float8',
  IS_IMPRESSION: 'is_impression::int',
  DURATION_IMPRESSION: flagged('is_impression', 'presence_ms'),
  IS_GLANCE: 'is_glance::int',
  DURATION_GLANCE: flagged('is_glance', 'watch_ms'),
  IS_VIEW: 'is_view::int',
  DURATION_VIEW: flagged('is_view', 'watch_ms'),
  IS_VIEW_THROUGH: 'is_view_through::int',
  DURATION_VIEW_THROUGH: flagged('is_view_through', 'watch_ms'),
  IS_WATCHED: 'is_watched::int',
  NETWORK_ID: 'm.network_id',
  NETWORK_NAME: 'network_name',
  SITE_ID: 'site_id',
  SITE_NAME: 'site_name',
  LOCATION_ID: 'location_id',
  LOCATION_NAME: 'location_name',
  DEVICE_ID: 'm.device_id',
  DEVICE_NAME: 'device_name',
  FEEDER_ID: 'feeder_id',
  FEEDER_NAME: 'f.name',
  SUBSCRIPTION_NAME: 'c.subscription_name',
  SITE_TZ: 'tz',
  DEVICE_TZ: 'device_tz',
  TIME_RANGE_SITE_TZ: `${label('HH24')} || ':00-' || lpad((extract(hour FROM played_at AT TIME ZONE tz)::int + 1)::text, 2, '0') || ':00'`,
  MONTH: label('YYYY-MM'),
  DT_ONLY_SITE_TZ: label('YYYY-MM-DD'),
  HOUR_SITE_TZ: label('HH24'),
  DAY_SITE_TZ: label('FMDay'),
  IS_BUSINESSHOUR: `CASE WHEN site_id IS NOT NULL THEN NOT EXISTS (SELECT FROM opening_hours o WHERE o.site_id = m.site_id)
    OR EXISTS (SELECT FROM opening_hours o WHERE o.site_id = m.site_id
      AND o.weekday = extract(isodow FROM played_at AT TIME ZONE tz)
      AND o.opens <= (played_at AT TIME ZONE tz)::time AND o.closes > (played_at AT TIME ZONE tz)::time) END`,
  STREAM_STAGE_TIMESTAMP: `to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

export const columnNames: readonly string[] = Object.keys(columns);

/**
 * The view that the report reads. Columns for filtering and sorting come first and begin with an underscore; the columns of the
 * report follow.
 */
const coffee = `
CREATE VIEW coffee AS
SELECT m.network_id AS _network, m.site_id AS _site, played_at AS _at, m.id AS _play, coalesce(detection_id, 0) AS _detection,
  ${Object.entries(columns)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(',\n  ')}
FROM measured m
LEFT JOIN vendors v ON v.code = m.vendor
LEFT JOIN campaigns c ON c.network_id = m.network_id AND c.campaign_ref = m.campaign_ref
LEFT JOIN creatives cr ON cr.network_id = m.network_id AND cr.creative_ref = m.creative_ref
LEFT JOIN feeders f ON f.id = m.feeder_id;`;

export const views: string = [siteTime, matched, measured, coffee].join('\n');
