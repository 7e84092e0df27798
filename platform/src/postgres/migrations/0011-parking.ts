import type { Migration } from './migration.ts';

export const parking: Migration = {
  name: '0011-parking',
  sql: `
    ALTER TABLE parked_events
      ADD COLUMN state text NOT NULL DEFAULT 'parked' CHECK (state IN ('parked', 'discarded')),
      ADD COLUMN attempts int NOT NULL DEFAULT 1,
      ADD COLUMN tried_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN behind bigint,
      ADD COLUMN asked_at timestamptz,
      ADD COLUMN reason text;
    COMMENT ON COLUMN parked_events.attempts IS 'How often it was tried; 0 for one that only stands behind another.';
    COMMENT ON COLUMN parked_events.behind IS 'The parked event of its stream it stands behind, where their order matters.';
    COMMENT ON COLUMN parked_events.asked_at IS 'When an operator asked for it to be tried again or discarded, and it is not done yet.';
    COMMENT ON COLUMN parked_events.reason IS 'Why it was discarded.';

    ALTER TABLE generations ADD COLUMN parking_stopped_at bigint, ADD COLUMN parking_from timestamptz;
    COMMENT ON COLUMN generations.parking_stopped_at IS 'So many events were parked at once that no more are: position of the first that was not. Null once it is folded, or an operator resumed.';
    COMMENT ON COLUMN generations.parking_from IS 'When an operator resumed: what was parked before counts no more.';
  `,
};
