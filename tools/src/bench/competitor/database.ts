import { Pool, TypeOverrides, types } from 'pg';
import { views } from './coffee-view.ts';

/** Plain tables for plays, detections and the current registry. */
const schemaTables = `
CREATE TABLE networks (id bigint PRIMARY KEY, name text NOT NULL, timezone text NOT NULL);
CREATE TABLE api_keys (
  hash text PRIMARY KEY,
  network_id bigint NOT NULL REFERENCES networks,
  vendor text NOT NULL
);
CREATE TABLE vendors (code text PRIMARY KEY, name text NOT NULL, network_id bigint NOT NULL REFERENCES networks);
CREATE TABLE sites (
  id bigint PRIMARY KEY,
  network_id bigint NOT NULL REFERENCES networks,
  name text NOT NULL,
  timezone text NOT NULL
);
CREATE TABLE opening_hours (site_id bigint NOT NULL REFERENCES sites, weekday int NOT NULL, opens time NOT NULL, closes time NOT NULL);
CREATE INDEX ON opening_hours (site_id, weekday);
CREATE TABLE locations (id bigint PRIMARY KEY, name text NOT NULL, site_id bigint NOT NULL REFERENCES sites);
CREATE TABLE devices (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  location_id bigint NOT NULL REFERENCES locations,
  timezone text,
  -- How far back a search for detections must reach.
  longest_detection interval NOT NULL DEFAULT '0'
);
CREATE TABLE feeders (id bigint PRIMARY KEY, name text NOT NULL, device_id bigint NOT NULL REFERENCES devices);
CREATE TABLE screens (
  network_id bigint NOT NULL REFERENCES networks,
  screen_ref text NOT NULL,
  device_id bigint NOT NULL REFERENCES devices,
  PRIMARY KEY (network_id, screen_ref)
);
CREATE TABLE campaigns (
  network_id bigint NOT NULL REFERENCES networks,
  campaign_ref text NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  subscription_name text,
  strategy_id bigint,
  strategy_name text,
  PRIMARY KEY (network_id, campaign_ref)
);
CREATE TABLE creatives (
  network_id bigint NOT NULL REFERENCES networks,
  creative_ref text NOT NULL,
  title text NOT NULL,
  display_title text NOT NULL,
  PRIMARY KEY (network_id, creative_ref)
);
CREATE TABLE thresholds (
  network_id bigint NOT NULL REFERENCES networks,
  effective tstzrange NOT NULL,
  min_presence_ms int NOT NULL,
  impression_ms int NOT NULL,
  glance_ms int NOT NULL,
  view_ms int NOT NULL,
  view_through_slack_ms int NOT NULL,
  view_through_share double precision NOT NULL,
  PRIMARY KEY (network_id, effective)
);
CREATE TABLE plays (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  network_id bigint NOT NULL,
  vendor text NOT NULL,
  event_id text NOT NULL,
  screen_ref text NOT NULL,
  site_ref text,
  campaign_ref text NOT NULL,
  creative_ref text NOT NULL,
  played_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  duration_ms int NOT NULL,
  play_reason text NOT NULL,
  impressions jsonb,
  context jsonb,
  device jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (network_id, vendor, event_id)
);
CREATE INDEX plays_in_order ON plays (network_id, played_at, id);
CREATE TABLE detections (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  network_id bigint NOT NULL,
  vendor text NOT NULL,
  detection_ref text NOT NULL,
  revision int NOT NULL,
  device_id bigint NOT NULL,
  feeder_id bigint,
  watcher_id bigint NOT NULL,
  reid text,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  gender text NOT NULL,
  age text,
  age_category text NOT NULL,
  mood text NOT NULL,
  distance double precision[] NOT NULL,
  watches tstzmultirange NOT NULL,
  population text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (network_id, vendor, detection_ref)
);
CREATE INDEX detections_of_device ON detections (device_id, started_at) INCLUDE (ended_at);
`;

/** Parses bigint columns as numbers. All ids are below 2^53, so numbers represent them exactly. */
const typeParsers = new TypeOverrides();
typeParsers.setTypeParser(types.builtins.INT8, Number);

export const openCompetitorPool = (url: string): Pool => {
  const pool = new Pool({ connectionString: url, max: 16, types: typeParsers });
  pool.on('error', () => undefined);
  return pool;
};

/** PostgreSQL settings for data that fits into memory. fsync stays on. */
const settings = { work_mem: '64MB', effective_cache_size: '4GB', random_page_cost: '1.1', jit: 'off' };

/** Creates the competitor's schema in an empty database. */
export const prepareCompetitorDatabase = async (url: string): Promise<void> => {
  const pool = openCompetitorPool(url);
  await pool.query(schemaTables + views);
  await pool.end();
};

/** Creates the competitor's database on the PostgreSQL server at `serverUrl`. Resolves with the database's URL. */
export const createCompetitorDatabase = async (serverUrl: string, name = 'competitor'): Promise<string> => {
  const server = openCompetitorPool(serverUrl);
  await server.query(`CREATE DATABASE ${name}`);
  for (const [setting, value] of Object.entries(settings))
    await server.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await prepareCompetitorDatabase(url.href);
  return url.href;
};
