import type { Migration } from './migration.ts';

export const lackingGenerations: Migration = {
  name: '0018-lacking-generations',
  sql: `
    ALTER TABLE generations ADD COLUMN lacks text[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN generations.lacks IS 'Tables that are newer than the generation: of the time before they were made they hold nothing.';
  `,
};
