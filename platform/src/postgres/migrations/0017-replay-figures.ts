import type { Migration } from './migration.ts';

export const replayFigures: Migration = {
  name: '0017-replay-figures',
  sql: `
    ALTER TABLE generations ADD COLUMN held_by bigint NOT NULL DEFAULT 0,
      ADD COLUMN tally jsonb,
      ADD COLUMN tallied_to bigint NOT NULL DEFAULT 0;
    COMMENT ON COLUMN generations.held_by IS 'Epoch of who had it held last: one of an earlier epoch neither prolongs nor ends a hold.';
    COMMENT ON COLUMN generations.tally IS 'What became of the events it is built of, counted by type; null: it was not counted from the start.';
    COMMENT ON COLUMN generations.tallied_to IS 'The last event that is counted.';
    ALTER TABLE build_parts ADD COLUMN tally jsonb;
    COMMENT ON COLUMN build_parts.tally IS 'What became of its events, counted by type; null: they were not counted.';
    ALTER TABLE replays ADD COLUMN step jsonb, ADD COLUMN accounts jsonb;
    COMMENT ON COLUMN replays.step IS 'What is done within a state besides folding, and how much of it; null: nothing.';
    COMMENT ON COLUMN replays.accounts IS 'Events of the log by type, against what the generation says became of them; null: not compared.';
  `,
};
