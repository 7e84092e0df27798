export const timeZonesOfGenerations = {
  name: '0014-time-zones',
  sql: `
  ALTER TABLE generations ADD COLUMN time_zones text NOT NULL DEFAULT '';
  COMMENT ON COLUMN generations.time_zones IS
    'Version of the time zone data, such as 2026f, when the generation was created; empty: created by a release that used the rules of ClickHouse.';`,
};
