import type { Migration } from './migration.ts';

export const busMessages: Migration = {
  name: '0008-bus-messages',
  sql: `
    CREATE TABLE bus_messages (
      consumer text NOT NULL,
      position bigint NOT NULL,
      id uuid NOT NULL,
      type text NOT NULL,
      stream text NOT NULL,
      data json NOT NULL,
      metadata json NOT NULL,
      deliveries int NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL,
      dead_at timestamptz,
      PRIMARY KEY (consumer, position)
    );
    CREATE INDEX bus_messages_due ON bus_messages (consumer, due_at, position) WHERE dead_at IS NULL;
    COMMENT ON TABLE bus_messages IS 'Events of the log that a consumer of the bus wants and is not done with.';
    COMMENT ON COLUMN bus_messages.due_at IS 'Not brought to anybody before.';
    COMMENT ON COLUMN bus_messages.dead_at IS 'When it was set aside, after too many deliveries; it is never brought again.';
  `,
};
