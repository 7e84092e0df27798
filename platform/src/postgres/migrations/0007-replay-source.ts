export const replaySource = {
  name: '0007-replay-source',
  sql: `
  ALTER TABLE replays
    ADD COLUMN source text NOT NULL DEFAULT 'log' CHECK (source IN ('log', 'facts')),
    ADD COLUMN source_reason text NOT NULL DEFAULT '';
  COMMENT ON COLUMN replays.source IS 'facts: the facts are copied from the live generation, and only the derived rows are computed.';
  COMMENT ON COLUMN replays.source_reason IS 'Why this source was chosen, for operators.';
`,
};
