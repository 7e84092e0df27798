export const logRepairs = {
  name: '0004-log-repairs',
  sql: `
  CREATE TABLE log_repairs (
    repaired_at text PRIMARY KEY,
    recorded_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE log_repairs IS 'Repairs of the log that removed events, once the projectors have recorded their effect on each generation.';
  COMMENT ON COLUMN log_repairs.repaired_at IS 'When the log was repaired, as the list in its folder states it.';

  ALTER TABLE generations ADD COLUMN lost_events jsonb NOT NULL DEFAULT '[]';
  COMMENT ON COLUMN generations.lost_events IS 'Repairs that removed events which the generation contains, with the number of their rows. No replay of the projection begins by itself.';
`,
};
