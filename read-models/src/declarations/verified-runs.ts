/**
 * The table whose only row says that the tables of this run of ClickHouse were verified. It is in memory, so a restart of
 * ClickHouse empties it, and readers then wait for the next verification. The time in it identifies the run.
 */
export const verifiedRuns = 'verified_runs';

export const createVerifiedRuns = `CREATE TABLE IF NOT EXISTS ${verifiedRuns} (
  verified_at DateTime64(3, 'UTC') COMMENT 'When the tables were compared with the lists of their parts.'
) ENGINE = Memory COMMENT 'Has a row once the tables were verified after the last start of ClickHouse.'`;
