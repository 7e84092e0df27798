/** The service fills both tables from the log. */
export const openJobs = {
  name: '0017-open-jobs',
  sql: `
  DROP TABLE bus_messages;
  DELETE FROM checkpoints WHERE projection LIKE 'bus:%';
  DELETE FROM leases WHERE projection LIKE 'bus:%' OR projection LIKE 'bulk-job %';

  CREATE TABLE open_jobs (
    job_id text PRIMARY KEY,
    network bigint NOT NULL,
    size_bytes bigint NOT NULL,
    position bigint NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now(),
    claimed_by text,
    claims int NOT NULL DEFAULT 0
  );
  COMMENT ON TABLE open_jobs IS 'Bulk jobs that have not ended, by the log.';
  COMMENT ON COLUMN open_jobs.position IS 'Log position of the event that queued the job.';
  COMMENT ON COLUMN open_jobs.due_at IS 'Other workers do not claim the job before this time. The worker that runs the job moves it on.';
  COMMENT ON COLUMN open_jobs.claimed_by IS 'The worker that runs the job; null if it waits.';
  COMMENT ON COLUMN open_jobs.claims IS 'Grows with each claim, so that a former worker cannot renew or release the job.';

  CREATE TABLE open_uploads (
    file_id text PRIMARY KEY,
    job_id text NOT NULL UNIQUE,
    job_ended boolean NOT NULL DEFAULT false,
    check_at timestamptz NOT NULL
  );
  CREATE INDEX open_uploads_by_check ON open_uploads (check_at);
  COMMENT ON TABLE open_uploads IS 'Uploads that have not expired and whose job has not ended, by the log.';
  COMMENT ON COLUMN open_uploads.check_at IS 'When to check next whether the upload expires, its job must be queued, or its file removed.';`,
};
