import type { Migration } from './migration.ts';

export const liveness: Migration = {
  name: '0009-liveness',
  sql: `
    CREATE TABLE liveness (
      kind text NOT NULL,
      id bigint NOT NULL,
      network bigint NOT NULL,
      status text NOT NULL,
      since timestamptz NOT NULL,
      last_received_at timestamptz NOT NULL,
      revision bigint NOT NULL,
      PRIMARY KEY (kind, id)
    ) WITH (fillfactor = 70);
    COMMENT ON TABLE liveness IS 'How each device and feeder that was ever heard stands, as far as the monitor of liveness has read the log.';
    COMMENT ON COLUMN liveness.last_received_at IS 'The latest receipt of a heartbeat that counted.';
    COMMENT ON COLUMN liveness.revision IS 'Of the last change in its stream liveness-{kind}.{id} that is known here.';
  `,
};
