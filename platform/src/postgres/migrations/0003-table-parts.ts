export const tableParts = {
  name: '0003-table-parts',
  sql: `
  ALTER TABLE checkpoints
    ADD COLUMN event_position bigint NOT NULL DEFAULT 0,
    ADD COLUMN event_id uuid,
    ADD COLUMN parts_position bigint NOT NULL DEFAULT 0;
  COMMENT ON COLUMN checkpoints.event_position IS 'Position of the last handled event that is not a probe; 0 if none was handled.';
  COMMENT ON COLUMN checkpoints.event_id IS 'Id of that event. If the log has another event at its position, the log was restored or repaired.';
  COMMENT ON COLUMN checkpoints.parts_position IS 'Log position whose rows are in the parts that table_parts lists; 0: no list is stored.';

  ALTER TABLE generations ADD COLUMN damage jsonb NOT NULL DEFAULT '[]';
  COMMENT ON COLUMN generations.damage IS 'Damaged tables of the generation and their parts. Readers refuse these tables, and the generation is not written to.';

  CREATE TABLE table_parts (
    projection text NOT NULL,
    generation int NOT NULL,
    table_name text NOT NULL,
    part text NOT NULL,
    fingerprint text NOT NULL,
    checked_at timestamptz,
    PRIMARY KEY (projection, generation, table_name, part)
  );
  COMMENT ON TABLE table_parts IS 'Parts that the tables of a generation had in ClickHouse at the position checkpoints.parts_position. Each must be active or merged into an active part.';
  COMMENT ON COLUMN table_parts.fingerprint IS 'Hash of the rows, the time range and the files of the part.';
  COMMENT ON COLUMN table_parts.checked_at IS 'When all bytes of the part were last read and compared with their checksums.';

  CREATE TABLE suspected_tables (
    relation text PRIMARY KEY,
    error text NOT NULL,
    reported_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE suspected_tables IS 'Tables and views that a failed query read. The projectors check their parts and then delete the row.';
`,
};
