export const parkedItems = {
  name: '0006-parked-items',
  sql: `
  ALTER TABLE parked_events RENAME COLUMN position TO sequence;
  UPDATE parked_events SET sequence = sequence * 1024, behind = behind * 1024;
  COMMENT ON COLUMN parked_events.sequence IS '1024 * log position of the event + index of the item in the event.';
  COMMENT ON COLUMN parked_events.behind IS 'Sequence of the parked item of the same stream that must be folded first.';
`,
};
