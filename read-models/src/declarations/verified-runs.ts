/** The table is in memory, so a restart of ClickHouse empties it. Its time identifies the run of ClickHouse. */
export const verifiedRuns = 'verified_runs';

export const createVerifiedRuns = `CREATE TABLE IF NOT EXISTS ${verifiedRuns} (
  verified_at DateTime64(3, 'UTC') COMMENT 'When the tables were compared with the lists of their parts.'
) ENGINE = Memory COMMENT 'Has a row once the tables were verified after the last start of ClickHouse.'`;
