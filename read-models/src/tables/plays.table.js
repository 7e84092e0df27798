import { defineTable, field } from '@popsvc/platform/clickhouse';
import { instant, milliseconds, network, source, text, vendor, word } from './fields.js';
/** Every receipt of a play is kept, so that duplicates and conflicts can be told; the first in the log is the play. */
export const plays = defineTable({
  name: 'plays',
  about: 'Plays as vendors reported them, each receipt once; of one (network, vendor, event_id) the lowest pos stands.',
  orderBy: ['network_id', 'vendor', 'event_id', 'pos'],
  day: 'played_at',
  replacing: {},
  indexes: { by_pos: 'pos TYPE minmax GRANULARITY 1' },
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    event_id: text("The vendor's id of the play."),
    ...source,
    content_hash: text('Hash of the canonical form: another one under the same id is a conflict.'),
    screen_id: text('Screen as the vendor names it.'),
    site_ref: text('Site as the vendor names it; empty when not sent.'),
    campaign_ref: text('Campaign as the vendor names it.'),
    creative_ref: text('Creative as the vendor names it.'),
    played_at: instant('Start of the play.'),
    duration_ms: milliseconds('Length of the play'),
    play_reason: word('Reason in our vocabulary.'),
    late: field('UInt8', '1 when received more than 14 days after the play.'),
    clock_ahead: field('UInt8', '1 when the play starts more than 60 s after its receipt.'),
    payload: text('Vendor impressions, context and device as JSON.'),
    schema_version: word("The vendor's own schema it was sent in; empty for the canonical one."),
    job_id: text('Bulk job it came with; empty for one that was pushed.'),
    job_row: field('UInt64', 'Row of the file, from 1; 0 for one that was pushed.'),
  },
});
/**
 * Which plays a screen showed in each span of five minutes, so that a detection finds them whatever their length. The span
 * comes before the screen: a batch asks for many screens of one time, which so lie together however long the past is.
 */
export const playSpans = defineTable({
  name: 'play_spans',
  about: 'Receipts of plays by screen and five-minute span; a look-up for projecting, not for reports.',
  orderBy: ['network_id', 'span', 'screen_id', 'vendor', 'event_id', 'played_at', 'ended_at'],
  day: 'played_at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    screen_id: text('Screen as the vendor names it.'),
    span: field('UInt32', 'Five minutes since 1970, counted.'),
    vendor,
    event_id: text("The vendor's id of the play."),
    played_at: instant('Start of the play.'),
    ended_at: instant('End of the play.'),
  },
});
//# sourceMappingURL=plays.table.js.map
