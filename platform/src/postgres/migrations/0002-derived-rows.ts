export const derivedRows = {
  name: '0002-derived-rows',
  sql: `
  CREATE TABLE derived_rows (
    network bigint NOT NULL,
    day date NOT NULL,
    rows bigint NOT NULL,
    waiting_since timestamptz,
    PRIMARY KEY (network, day)
  );
  COMMENT ON TABLE derived_rows IS 'Rows of coffee that the live generation derived, by network and UTC day.';
  COMMENT ON COLUMN derived_rows.waiting_since IS 'When the network reached its daily budget; null: it has not.';
`,
};
