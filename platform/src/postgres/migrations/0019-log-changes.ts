export const logChanges = {
  name: '0019-log-changes',
  sql: `
  CREATE TABLE log_changes (
    change text PRIMARY KEY,
    found_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE log_changes IS 'Repairs of the log, and projections that are ahead of the log: events may be missing since. Responses that were stored before the newest change do not count.';
  COMMENT ON COLUMN log_changes.change IS 'Identifies the change, so that it is listed once.';
`,
};
