import type { Migration } from './migration.ts';

export const generations: Migration = {
  name: '0010-generations',
  sql: `
    ALTER TABLE read_models ADD COLUMN paused_at timestamptz;
    COMMENT ON COLUMN read_models.paused_at IS 'Since when operators have it stand still; null while it runs.';

    CREATE TABLE generations (
      projection text NOT NULL,
      generation int NOT NULL,
      state text NOT NULL CHECK (state IN ('building', 'live', 'kept')),
      version int NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      switched_at timestamptz,
      drop_after timestamptz,
      held_until timestamptz,
      held_at bigint,
      PRIMARY KEY (projection, generation)
    );
    COMMENT ON TABLE generations IS 'Sets of tables of each projection: the one readers see, one that is built beside it, those kept for a rollback.';
    COMMENT ON COLUMN generations.version IS 'Of the projection whose code built it.';
    COMMENT ON COLUMN generations.switched_at IS 'When readers were pointed at it last.';
    COMMENT ON COLUMN generations.drop_after IS 'When one that is kept may be dropped.';
    COMMENT ON COLUMN generations.held_until IS 'Until then no batch is begun: it is being compared, or readers are being switched.';
    COMMENT ON COLUMN generations.held_at IS 'Where whoever writes it stands still; null until they have seen that it is held.';
    INSERT INTO generations (projection, generation, state, version, switched_at)
      SELECT projection, live_generation, 'live', 1, switched_at FROM read_models;

    CREATE TABLE standings (
      projection text NOT NULL,
      generation int NOT NULL,
      state text NOT NULL,
      error text,
      owner text NOT NULL,
      as_of timestamptz,
      told_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (projection, generation)
    );
    COMMENT ON TABLE standings IS 'How each generation fares, as the process that writes it tells every few seconds.';
    COMMENT ON COLUMN standings.as_of IS 'When the newest projected event was appended.';
  `,
};
