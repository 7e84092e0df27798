export const unusedColumns = {
  name: '0016-unused-columns',
  sql: `
  ALTER TABLE checkpoints DROP COLUMN tally, DROP COLUMN tallied_to;
  ALTER TABLE generations DROP COLUMN is_counted;
  ALTER TABLE replays DROP COLUMN accounts;

  DELETE FROM parked_events WHERE state = 'parked' AND (stream LIKE 'registry-%' OR stream LIKE 'mapping-%');
  ALTER TABLE parked_events DROP COLUMN behind;
  COMMENT ON COLUMN parked_events.attempts IS 'How often the projection tried to fold it.';
`,
};
