import type { Migration } from './migration.ts';

export const endedSessions: Migration = {
  name: '0019-ended-sessions',
  sql: `
    CREATE TABLE ended_sessions (
      id text PRIMARY KEY,
      until timestamptz NOT NULL
    );
    COMMENT ON TABLE ended_sessions IS 'Sessions of the console that somebody signed out of: their cookies are signed and would be good until their time.';
    COMMENT ON COLUMN ended_sessions.until IS 'When it would have ended by itself; after that the row is not needed.';
  `,
};
