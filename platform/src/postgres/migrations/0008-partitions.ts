export const partitions = {
  name: '0008-partitions',
  sql: `
  ALTER TABLE leases ADD COLUMN partition int NOT NULL DEFAULT 0,
    DROP CONSTRAINT leases_pkey, ADD PRIMARY KEY (projection, generation, partition);
  ALTER TABLE leases ADD COLUMN wanted_by text, ADD COLUMN wanted_at timestamptz;
  COMMENT ON COLUMN leases.wanted_by IS 'The preferred member, which waits until the owner hands the partition back.';
  COMMENT ON COLUMN leases.wanted_at IS 'When it last requested the lease.';
  ALTER TABLE checkpoints ADD COLUMN partition int NOT NULL DEFAULT 0,
    DROP CONSTRAINT checkpoints_pkey, ADD PRIMARY KEY (projection, generation, partition);
  ALTER TABLE parked_events ADD COLUMN partition int NOT NULL DEFAULT 0,
    DROP CONSTRAINT parked_events_pkey, ADD PRIMARY KEY (projection, generation, partition, sequence);
  ALTER TABLE projection_status ADD COLUMN partition int NOT NULL DEFAULT 0,
    DROP CONSTRAINT projection_status_pkey, ADD PRIMARY KEY (projection, generation, partition);
  COMMENT ON COLUMN parked_events.partition IS 'Partition that parked the event. Each partition parks an event of all networks.';
  COMMENT ON TABLE leases IS 'Which process may write a partition of a generation; the epoch grows with every owner.';
  COMMENT ON TABLE checkpoints IS 'The last event each partition of a generation has handled, and of which log.';
  COMMENT ON TABLE projection_status IS 'State of each partition of a generation, as the process that writes it reports every few seconds.';

  ALTER TABLE checkpoints
    ADD COLUMN cuts bigint[] NOT NULL DEFAULT '{}',
    ADD COLUMN held_position bigint,
    ADD COLUMN parking_stopped_at bigint,
    ADD COLUMN parking_from timestamptz,
    ADD COLUMN tally jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN tallied_to bigint NOT NULL DEFAULT 0;
  COMMENT ON COLUMN checkpoints.cuts IS 'Positions at which batches of the former partitions ended. The next batches end there, too.';
  COMMENT ON COLUMN checkpoints.held_position IS 'Position at which the writer paused; null until the writer has seen the hold of its generation.';
  COMMENT ON COLUMN checkpoints.parking_stopped_at IS 'Position of the first event that was not parked because too many were parked at once; null once it is folded, or an operator resumed.';
  COMMENT ON COLUMN checkpoints.parking_from IS 'When an operator resumed; events parked before that no longer count towards the limit.';
  COMMENT ON COLUMN checkpoints.tally IS 'Outcomes of the events that the partition has folded, counted by type, while generations.is_counted.';
  COMMENT ON COLUMN checkpoints.tallied_to IS 'Position of the last counted event.';
  UPDATE checkpoints c SET parking_stopped_at = g.parking_stopped_at, parking_from = g.parking_from,
      tally = coalesce(g.tally, '{}'), tallied_to = g.tallied_to
    FROM generations g WHERE (g.projection, g.generation) = (c.projection, c.generation);

  ALTER TABLE generations ADD COLUMN is_counted boolean NOT NULL DEFAULT false,
    ADD COLUMN parts_snapshot bigint NOT NULL DEFAULT 0;
  UPDATE generations SET is_counted = tally IS NOT NULL;
  ALTER TABLE generations DROP COLUMN held_position, DROP COLUMN parking_stopped_at, DROP COLUMN parking_from,
    DROP COLUMN tally, DROP COLUMN tallied_to;
  COMMENT ON COLUMN generations.is_counted IS 'Whether the outcomes of all its events are counted.';
  COMMENT ON COLUMN generations.parts_snapshot IS 'Number of the snapshot that table_parts contains. An older snapshot never replaces it.';
  CREATE SEQUENCE part_snapshots;

  CREATE TABLE partitioning (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    partitions int NOT NULL CHECK (partitions BETWEEN 1 AND 10)
  );
  INSERT INTO partitioning (partitions) SELECT 1 WHERE EXISTS (SELECT 1 FROM checkpoints);
  COMMENT ON TABLE partitioning IS 'Number of partitions of the split projections (PROJECTION_PARTITIONS), recorded at the first start.';

  CREATE TABLE members (
    member text PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE members IS 'Processes of projectors. Each partition has a preferred one among those that were seen recently.';
`,
};
