/** Projections of a new number of shards derive all rows again, which must not use up the daily budget of the current projections. */
export const derivedRowsOfSets = {
  name: '0010-derived-rows-of-sets',
  sql: `
  ALTER TABLE derived_rows ADD COLUMN shards int NOT NULL DEFAULT 1,
    DROP CONSTRAINT derived_rows_pkey, ADD PRIMARY KEY (shards, network, day);
  COMMENT ON TABLE derived_rows IS 'Rows of coffee that the live generations of a set of shards derived, by network and UTC day.';
  COMMENT ON COLUMN derived_rows.shards IS 'Number of shards of the set.';
`,
};
