import type { Migration } from './migration.ts';

export const projections: Migration = {
  name: '0004-projections',
  sql: `
    CREATE TABLE read_models (
      projection text PRIMARY KEY,
      live_generation int NOT NULL,
      switched_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE read_models IS 'Which generation of a projection readers see.';

    CREATE TABLE leases (
      projection text NOT NULL,
      generation int NOT NULL,
      owner text NOT NULL,
      epoch bigint NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (projection, generation)
    );
    COMMENT ON TABLE leases IS 'Who may write a generation of a projection; the epoch grows with every owner.';

    CREATE TABLE checkpoints (
      projection text NOT NULL,
      generation int NOT NULL,
      position bigint NOT NULL,
      begun bigint NOT NULL DEFAULT 0,
      log_id text NOT NULL,
      epoch bigint NOT NULL DEFAULT 0,
      saved_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (projection, generation)
    );
    COMMENT ON COLUMN checkpoints.begun IS 'How far a batch was begun to be written; above position: it may be written in part.';
    COMMENT ON TABLE checkpoints IS 'The last event each generation has handled, and of which log.';

    CREATE TABLE parked_events (
      projection text NOT NULL,
      generation int NOT NULL,
      position bigint NOT NULL,
      stream text NOT NULL,
      type text NOT NULL,
      error text NOT NULL,
      raw text NOT NULL,
      parked_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (projection, generation, position)
    );
    COMMENT ON TABLE parked_events IS 'Events that could not be folded, set aside so that the rest flows.';
  `,
};
