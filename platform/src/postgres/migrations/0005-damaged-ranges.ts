export const damagedRanges = {
  name: '0005-damaged-ranges',
  sql: `
  ALTER TABLE table_parts ADD COLUMN from_ms bigint, ADD COLUMN to_ms bigint;
  COMMENT ON COLUMN table_parts.from_ms IS 'Lowest time in the partition key of the rows, in ms since 1970; null if the table has no such time.';
  COMMENT ON COLUMN table_parts.to_ms IS 'End of the time range, exclusive.';

  ALTER TABLE generations ADD COLUMN healing jsonb NOT NULL DEFAULT '[]';
  COMMENT ON COLUMN generations.healing IS 'Lost parts of the derived table. Their time ranges are pending: readers refuse them until their rows are derived again.';
`,
};
