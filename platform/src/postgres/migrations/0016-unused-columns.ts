/** The outcomes of events are not counted: an item that must add a row and adds none cannot be folded. */
export const unusedColumns = {
  name: '0016-unused-columns',
  sql: `
  ALTER TABLE checkpoints DROP COLUMN tally, DROP COLUMN tallied_to;
  ALTER TABLE generations DROP COLUMN is_counted;
  ALTER TABLE replays DROP COLUMN accounts;
`,
};
