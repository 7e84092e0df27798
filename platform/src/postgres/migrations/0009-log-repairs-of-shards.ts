export const logRepairsOfShards = {
  name: '0009-log-repairs-of-shards',
  sql: `
  ALTER TABLE log_repairs ADD COLUMN shard int NOT NULL DEFAULT 0, ADD COLUMN shards int NOT NULL DEFAULT 1,
    DROP CONSTRAINT log_repairs_pkey, ADD PRIMARY KEY (repaired_at, shards, shard);
  COMMENT ON TABLE log_repairs IS 'Repairs of the log that removed events, once the projectors have recorded their effect on each generation of a shard.';
  COMMENT ON COLUMN log_repairs.shard IS 'Index of the shard, from 0.';
  COMMENT ON COLUMN log_repairs.shards IS 'Number of shards of its set.';
`,
};
