import type { Migration } from './migration.ts';

export const figures: Migration = {
  name: '0014-figures',
  sql: `
    CREATE TABLE intake_minutes (
      minute timestamptz NOT NULL,
      process text NOT NULL,
      outcome text NOT NULL,
      events bigint NOT NULL,
      requests bigint NOT NULL,
      PRIMARY KEY (minute, process, outcome)
    );
    COMMENT ON TABLE intake_minutes IS 'What came in, minute by minute, as each process that takes in tells it; kept for two days.';
    COMMENT ON COLUMN intake_minutes.process IS 'One life of a process: what it tells again of a minute stands for what it told before.';
    COMMENT ON COLUMN intake_minutes.outcome IS 'accepted, or the code with which it was refused.';

    CREATE TABLE projection_minutes (
      minute timestamptz PRIMARY KEY,
      lag_events bigint NOT NULL,
      freshness_ms bigint,
      told_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE projection_minutes IS 'The largest lag of any live read model, minute by minute; kept for two days.';
    COMMENT ON COLUMN projection_minutes.freshness_ms IS 'Age of the newest event that is in all of them; null while one has none.';
  `,
};
