import { defineTable, field } from '@popsvc/platform/clickhouse';
import { instant, position } from './fields.ts';

/** How far each generation of a projection is written; the mirror beside the data of the checkpoint in PostgreSQL. */
export const progress = defineTable({
  name: 'progress',
  about:
    'Batches that each projection has written whole: those of a week before its newest one, and what was not dropped yet.',
  orderBy: ['projection', 'generation', 'pos'],
  replacing: {},
  fields: {
    projection: field('LowCardinality(String)', 'Projection.'),
    generation: field('UInt32', 'Generation of its tables.'),
    pos: position('The last event of the batch'),
    as_of: instant('When that event was appended.'),
    rows: field('UInt64', 'Fact rows of the batch.'),
    epoch: field('UInt64', 'Epoch of the lease it was written under.'),
    written_at: instant('When it was written.'),
  },
});
