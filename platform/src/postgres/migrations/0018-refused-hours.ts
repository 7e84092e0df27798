export const refusedHours = {
  name: '0018-refused-hours',
  sql: `
  CREATE TABLE refused_hours (
    hour timestamptz NOT NULL,
    process text NOT NULL,
    network bigint NOT NULL,
    vendor text NOT NULL,
    code text NOT NULL,
    requests bigint NOT NULL,
    events bigint NOT NULL,
    latest_reason text NOT NULL,
    latest_at timestamptz NOT NULL,
    PRIMARY KEY (hour, process, network, vendor, code)
  );
  COMMENT ON TABLE refused_hours IS 'Refused requests of vendors in each hour, as each command-api process reports them; kept for eight days.';
  COMMENT ON COLUMN refused_hours.process IS 'One run of a process; its later report of an hour replaces the earlier one.';
  COMMENT ON COLUMN refused_hours.code IS 'Error code of the response.';
  COMMENT ON COLUMN refused_hours.latest_reason IS 'First problem that the response to the newest of these requests named.';`,
};
