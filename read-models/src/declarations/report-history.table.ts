import { defineTable, field } from '@popsvc/platform/clickhouse';
import { instant, word } from './fields.ts';

/**
 * `live`: the generation, which readers were switched to, answers reports of times from `since` on. `whole`: the generation may lack former
 * rows of times before `since`.
 */
export const reportHistory = defineTable({
  name: 'report_history',
  about: 'Which generation answers reports of an earlier time.',
  orderBy: ['projection', 'kind', 'since', 'generation'],
  replacing: {},
  fields: {
    projection: word('Projection.'),
    kind: word('live or whole.'),
    since: instant('Beginning.'),
    generation: field('UInt32', 'Generation of its tables.'),
    version: field('UInt32', 'live: version of the projection that built the generation.'),
    pos: field('UInt64', 'live: log position up to which each of its partitions had everything.'),
  },
});
