import { defineTable, field } from '@popsvc/platform/clickhouse';
import { instant, network, source, text, vendor, word } from './fields.js';
/** Events of vendors' own schemas that no mapping could turn into a play when they came, and what became of them since. */
export const quarantine = defineTable({
  name: 'quarantine',
  about: 'Events that wait, or once waited, for a mapping that fits or for the registry to learn their screen.',
  orderBy: ['network_id', 'vendor', 'schema_version', 'pos'],
  day: 'received_at',
  replacing: { version: 'tried_pos' },
  indexes: { by_event: 'event_id TYPE bloom_filter(0.01) GRANULARITY 1' },
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    schema_version: text("The vendor's name of its schema."),
    ...source,
    tried_pos: field(
      'UInt64',
      'The event at which it was last tried and something changed: itself, a mapping, a device, or what an operator asked.',
    ),
    tried_at: instant('When that event was appended.'),
    state: word('waiting, or released: then it is a play.'),
    mapping_version: field('UInt32', 'Version of the mapping that released it; 0 while it waits.'),
    event_id: text("The vendor's id of the play; empty while no mapping tells it."),
    code: word(
      'Why it waits: no_mapping, missing, unparsable, invalid, no_zone, skipped_hour or too_old. Kept when released.',
    ),
    reason: text('The same for people: which field, and what is wrong with it.'),
    screens: field(
      'Array(String)',
      'Screens whose zone is not known yet; when the registry learns one, it is tried again.',
    ),
    raw: text('The event as sent, JSON.'),
    raw_bytes: field('UInt32', 'Length of that.'),
    max_age_days: field('Nullable(UInt32)', 'Age limit in force when it was received; null without one.'),
    job_id: text('Bulk job it came with; empty for one that was pushed.'),
    job_row: field('UInt64', 'Row of the file, from 1; 0 for one that was pushed.'),
  },
});
//# sourceMappingURL=quarantine.table.js.map
