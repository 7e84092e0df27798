import type { Migration } from './migration.ts';

export const requestsWithoutStream: Migration = {
  name: '0006-requests-without-stream',
  sql: `
    ALTER TABLE idempotency_keys ALTER COLUMN stream DROP NOT NULL;
    COMMENT ON COLUMN idempotency_keys.stream IS 'Where the first try appends; a retry on another day appends there too. Null: the request has no such stream.';
  `,
};
