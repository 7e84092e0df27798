import type { Migration } from './migration.ts';

export const apiKeyRates: Migration = {
  name: '0007-api-key-rates',
  sql: `
    ALTER TABLE api_keys
      ADD COLUMN requests_per_second int CHECK (requests_per_second > 0),
      ADD COLUMN events_per_second int CHECK (events_per_second > 0);
    COMMENT ON COLUMN api_keys.requests_per_second IS 'Null: the standard rate. Twice as many may come at once, in each process.';
    COMMENT ON COLUMN api_keys.events_per_second IS 'Null: the standard rate. Twice as many may come at once, in each process.';
  `,
};
