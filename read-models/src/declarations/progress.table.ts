import { nameWithoutShard } from '@popsvc/domain/partitioning';
import { defineTable, field, generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import { instant } from './fields.ts';

/** Each projection has a progress table of its own, because a replicated table accepts one insert with a quorum at a time. */
export const progressOf = (name: string): TableDefinition => {
  const projection = nameWithoutShard(name);
  return defineTable({
    name: `progress_${projection.replaceAll('-', '_')}`,
    about: `The last completely written batch of the projection ${projection}, by generation and partition.`,
    orderBy: ['generation', 'partitions', 'partition'],
    replacing: { version: 'pos' },
    fields: {
      generation: field('UInt32', 'Generation of its tables.'),
      partitions: field('UInt8', 'Number of partitions when the batch was written.'),
      partition: field(
        'UInt8',
        'Partition of the batch: networks whose last digit, divided by the number of shards, modulo `partitions` has this value.',
      ),
      pos: field('UInt64', 'The last event of the batch: position in the log'),
      as_of: instant('When that event was appended.'),
      changed_pos: field('UInt64', 'The last event of the newest batch with facts.'),
      synced_pos: field(
        'UInt64',
        'The last event of the newest batch that was written a minute earlier: in another run of ClickHouse, later events are folded again.',
      ),
      run_at: instant(
        'When the run of ClickHouse began that wrote it; 1970 if unknown. Within a run, ClickHouse loses no rows.',
      ),
      epoch: field('UInt64', 'Epoch of the lease it was written under.'),
      written_at: instant('When it was written.'),
    },
  });
};

export const progressTable = (projection: string): string => generationTable(progressOf(projection), 1);

/** The query returns 0 while a partition has written nothing. */
export const writtenPosition = (projection: string, generation: number): string => {
  const ofGeneration = `${progressTable(projection)} WHERE generation = ${generation}`;
  return `SELECT if(count() = any(partitions), min(reached), 0) FROM (
    SELECT partitions, max(pos) AS reached FROM ${ofGeneration}
      AND partitions = (SELECT argMax(partitions, (pos, written_at)) FROM ${ofGeneration})
    GROUP BY partitions, partition)`;
};

export const progressView = { name: 'progress' };

/** Readers of physical tables look up the live generation in this view, so replacing the view switches them. */
export const liveGenerationsView = { name: 'live_generations' };
