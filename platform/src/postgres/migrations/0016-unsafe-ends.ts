import type { Migration } from './migration.ts';

export const unsafeEnds: Migration = {
  name: '0016-unsafe-ends',
  sql: `
    ALTER TABLE builds ADD COLUMN server_began bigint;
    COMMENT ON TABLE builds IS 'Generations that are made, or were made, of the whole log at once.';
    COMMENT ON COLUMN builds.server_began IS 'When the ClickHouse began that it is known to lie on whole: s since 1970 by its clock. Of what was written shortly before a later one began some may not have been on disk.';
    CREATE INDEX parked_to_ask ON parked_events (projection, position) WHERE state = 'parked' AND asked_at IS NULL;
  `,
};
