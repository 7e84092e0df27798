export const membersOfSets = {
  name: '0011-members-of-sets',
  sql: `
  ALTER TABLE members ADD COLUMN shards int NOT NULL DEFAULT 1;
  COMMENT ON COLUMN members.shards IS 'Number of shards of ClickHouse whose projections the process runs.';
`,
};
