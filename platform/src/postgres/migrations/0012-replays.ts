import type { Migration } from './migration.ts';

export const replays: Migration = {
  name: '0012-replays',
  sql: `
    ALTER TABLE generations DROP CONSTRAINT generations_state_check;
    ALTER TABLE generations ADD CONSTRAINT generations_state_check
      CHECK (state IN ('building', 'live', 'kept', 'dropping'));

    CREATE TABLE replays (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      projection text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('replay', 'rollback')),
      from_generation int NOT NULL,
      to_generation int NOT NULL,
      verify boolean NOT NULL,
      state text NOT NULL CHECK (state IN
        ('planned', 'building', 'catching_up', 'verifying', 'switching', 'done', 'failed', 'cancelled')),
      position bigint NOT NULL DEFAULT 0,
      target bigint NOT NULL DEFAULT 0,
      events bigint NOT NULL DEFAULT 0,
      total bigint,
      verified boolean NOT NULL DEFAULT false,
      differences jsonb NOT NULL DEFAULT '[]',
      stood_still_ms int NOT NULL DEFAULT 0,
      error text,
      asked_at timestamptz NOT NULL DEFAULT now(),
      started_at timestamptz,
      cancel_asked_at timestamptz,
      ended_at timestamptz
    );
    COMMENT ON TABLE replays IS 'How readers were or are being brought to another generation of a projection: one built anew, or the one before.';
    COMMENT ON COLUMN replays.position IS 'Up to where the generation is built.';
    COMMENT ON COLUMN replays.target IS 'Where the live one stood when that was asked last.';
    COMMENT ON COLUMN replays.events IS 'Events folded so far.';
    COMMENT ON COLUMN replays.total IS 'Events there are to fold; null where nobody counted.';
    COMMENT ON COLUMN replays.stood_still_ms IS 'For how long the live generation was held, in all.';
    COMMENT ON COLUMN replays.error IS 'Why it failed, or what it tries again after.';
    CREATE UNIQUE INDEX replays_one_at_a_time ON replays (projection) WHERE ended_at IS NULL;
  `,
};
