import type { Migration } from './migration.ts';

export const idempotencyKeys: Migration = {
  name: '0002-idempotency-keys',
  sql: `
    CREATE TABLE idempotency_keys (
      credential text NOT NULL,
      route text NOT NULL,
      key text NOT NULL,
      body_hash bytea NOT NULL CHECK (length(body_hash) = 32),
      stream text NOT NULL,
      received_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      attempt int NOT NULL DEFAULT 1,
      tried_at timestamptz NOT NULL DEFAULT now(),
      earlier_try_at timestamptz,
      running_until timestamptz,
      status int,
      answer text,
      PRIMARY KEY (credential, route, key)
    );
    CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
    COMMENT ON TABLE idempotency_keys IS 'Requests that may be told again, for 24 hours.';
    COMMENT ON COLUMN idempotency_keys.stream IS 'Where the first try appends; a retry on another day appends there too.';
    COMMENT ON COLUMN idempotency_keys.attempt IS 'Grows when another request takes over an unfinished one.';
    COMMENT ON COLUMN idempotency_keys.tried_at IS 'When the newest try was last known to be at work.';
    COMMENT ON COLUMN idempotency_keys.earlier_try_at IS 'The same of the try before it: what that one appended stands in the log by then.';
    COMMENT ON COLUMN idempotency_keys.running_until IS 'Until then the try is believed to run; null when it is answered or given up.';
    COMMENT ON COLUMN idempotency_keys.answer IS 'JSON of the answer; null until it is known.';
  `,
};
