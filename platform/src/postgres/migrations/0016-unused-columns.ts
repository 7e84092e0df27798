/**
 * Removes the counts of outcomes, because projections no longer count them.
 *
 * Removes the parked events of the registry and of mappings. A projection no longer parks such an event, but stops at it.
 */
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
