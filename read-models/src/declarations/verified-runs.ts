/**
 * Name of the table that gets a row when the tables are verified after a start of ClickHouse. It is in memory, so a restart empties it, and
 * readers refuse queries until the next verification. The time in the row identifies the run of ClickHouse.
 */
export const verifiedRuns = 'verified_runs';

export const createVerifiedRuns = `CREATE TABLE IF NOT EXISTS ${verifiedRuns} (
  verified_at DateTime64(3, 'UTC') COMMENT 'When the tables were compared with the lists of their parts.'
) ENGINE = Memory COMMENT 'Has a row once the tables were verified after the last start of ClickHouse.'`;
