import { nameWithoutShard } from '@popsvc/domain/partitioning';
import { defineTable, field, generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import { instant } from './fields.ts';

/**
 * Defines the table with the progress of a projection's generations, stored next to the data. PostgreSQL also stores the position of
 * the newest batch as the checkpoint. Each projection has a table of its own: replicated tables accept one insert at a time.
 */
export const progressOf = (name: string): TableDefinition => {
  const projection = nameWithoutShard(name);
  return defineTable({
    name: `progress_${projection.replaceAll('-', '_')}`,
    about: `Completely written batches of the projection ${projection}, kept for about a week.`,
    orderBy: ['generation', 'partitions', 'partition', 'pos'],
    replacing: {},
    fields: {
      generation: field('UInt32', 'Generation of its tables.'),
      partitions: field('UInt8', 'Number of partitions when the batch was written.'),
      partition: field(
        'UInt8',
        'Partition of the batch: networks whose last digit, divided by the number of shards, modulo `partitions` has this value.',
      ),
      pos: field('UInt64', 'The last event of the batch: position in the log'),
      as_of: instant('When that event was appended.'),
      rows: field('UInt64', 'Fact rows of the batch.'),
      epoch: field('UInt64', 'Epoch of the lease it was written under.'),
      written_at: instant('When it was written.'),
    },
  });
};

/** Returns the physical name of a projection's progress table. */
export const progressTable = (projection: string): string => generationTable(progressOf(projection), 1);

/** The view with the position of each live generation. */
export const progressView = { name: 'progress' };
