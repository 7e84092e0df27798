import { defineTable, field, incidental } from '@popsvc/platform/clickhouse';
import { flag, instant, network, position, text, word } from './fields.ts';

/**
 * Work that a batch put off: plays whose rows are not derived yet, although their facts are stored. A network is in this table
 * while its derivation exceeds its share of a batch (docs/decisions/0023-fair-shares-of-derivation.md).
 */
export const pending = defineTable({
  name: 'pending',
  about: 'Ranges of plays whose rows are derived later, in units; empty unless a network exceeds its share.',
  orderBy: ['projection', 'generation', 'network_id', 'from_at', 'to_at', 'screen_id', 'cause'],
  replacing: { version: 'version', deleted: 'is_deleted' },
  fields: {
    projection: word('Projection.'),
    generation: field('UInt32', 'Generation of its tables.'),
    network_id: network,
    screen_id: text('Screen of the plays; empty for all screens.'),
    from_at: instant('Beginning of the range.'),
    to_at: instant('End of the range, exclusive.'),
    cause: word('facts, or what changed in the registry: registry, thresholds or feeders.'),
    pos: position('The last event of the first batch that put the range off'),
    as_of: instant('Everything received up to then is derived.'),
    slices: field('UInt32', 'Number of slices into which the plays of the range are divided.'),
    next_slice: field('UInt32', 'First slice that is not derived yet.'),
    written_at: instant('When this row was written.'),
    version: incidental(field('UInt64', 'Twice the position of the batch; plus one when derived in part or whole.')),
    is_deleted: flag('1 when the range is derived.'),
  },
});
