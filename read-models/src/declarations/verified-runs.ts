/** Macro of the embedded engine: since when nothing that it acknowledged can have been lost, in ms since 1970. */
export const durableSinceMacro = 'popsvc_durable_since';

/**
 * Selects the time, in ms since 1970, that identifies the run of ClickHouse in progress rows. While the time is the same, no row was lost.
 * Without the macro, every start of ClickHouse begins another run.
 */
export const currentRunSql = `SELECT if(since > 0, since, toFloat64(toUnixTimestamp64Milli(verified))) AS current_run
  FROM (SELECT toFloat64OrZero(any(substitution)) AS since FROM system.macros WHERE macro = '${durableSinceMacro}') AS engine,
    (SELECT min(verified_at) AS verified FROM verified_runs) AS runs`;

/** The table is in memory, so a restart of ClickHouse empties it. For readers, its time identifies the run of ClickHouse. */
export const verifiedRuns = 'verified_runs';

export const createVerifiedRuns = `CREATE TABLE IF NOT EXISTS ${verifiedRuns} (
  verified_at DateTime64(3, 'UTC') COMMENT 'When the tables were compared with the lists of their parts.'
) ENGINE = Memory COMMENT 'Has a row once the tables were verified after the last start of ClickHouse.'`;
