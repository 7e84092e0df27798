import { defineTable, field } from '@popsvc/platform/clickhouse';
import { instant } from './fields.ts';

/**
 * Progress of each projection generation, stored next to the data. PostgreSQL also stores the position of the newest batch as the
 * generation's checkpoint.
 */
export const progress = defineTable({
  name: 'progress',
  about: 'Completely written batches of each projection, kept for about a week.',
  orderBy: ['projection', 'generation', 'pos'],
  replacing: {},
  fields: {
    projection: field('LowCardinality(String)', 'Projection.'),
    generation: field('UInt32', 'Generation of its tables.'),
    pos: field('UInt64', 'The last event of the batch: position in the log'),
    as_of: instant('When that event was appended.'),
    rows: field('UInt64', 'Fact rows of the batch.'),
    epoch: field('UInt64', 'Epoch of the lease it was written under.'),
    written_at: instant('When it was written.'),
  },
});
