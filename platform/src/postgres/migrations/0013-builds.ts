import type { Migration } from './migration.ts';

export const builds: Migration = {
  name: '0013-builds',
  sql: `
    CREATE TABLE builds (
      projection text NOT NULL,
      generation int NOT NULL,
      up_to bigint NOT NULL,
      log_id text NOT NULL,
      begun_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (projection, generation),
      FOREIGN KEY (projection, generation) REFERENCES generations ON DELETE CASCADE
    );
    COMMENT ON TABLE builds IS 'Generations that are being made of the whole log at once; gone when they are made.';
    COMMENT ON COLUMN builds.up_to IS 'The last event they are made of.';

    CREATE TABLE build_parts (
      projection text NOT NULL,
      generation int NOT NULL,
      step text NOT NULL CHECK (step IN ('facts', 'rest', 'windows')),
      part int NOT NULL,
      starts bigint NOT NULL,
      ends bigint NOT NULL,
      reached bigint NOT NULL,
      network bigint NOT NULL DEFAULT 0,
      slices int NOT NULL DEFAULT 1,
      events bigint NOT NULL DEFAULT 0,
      written_at timestamptz,
      is_done boolean NOT NULL DEFAULT false,
      PRIMARY KEY (projection, generation, step, part),
      FOREIGN KEY (projection, generation) REFERENCES builds ON DELETE CASCADE
    );
    COMMENT ON TABLE build_parts IS 'What each build consists of; whoever holds the lease of a part works on it.';
    COMMENT ON COLUMN build_parts.step IS 'facts: events by position; rest: what needs all facts; windows: rows by network and time. One after the other.';
    COMMENT ON COLUMN build_parts.starts IS 'Position behind which a part of facts begins, or ms since 1970 from which a window does.';
    COMMENT ON COLUMN build_parts.ends IS 'Position up to and including which a part of facts goes, or ms since 1970 before which a window ends.';
    COMMENT ON COLUMN build_parts.reached IS 'Up to where a part of facts is written.';
    COMMENT ON COLUMN build_parts.slices IS 'In how many goes a window is computed.';
    COMMENT ON COLUMN build_parts.events IS 'Events of facts that are written.';
    COMMENT ON COLUMN build_parts.written_at IS 'When something of it was written last.';
  `,
};
