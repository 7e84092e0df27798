import { incidental, defineTable, field } from '@popsvc/platform/clickhouse';
import { byMonth, flag, instant, network, position, text, vendor, word } from './fields.ts';

/** One row an event that reports a play, whatever became of it: what the balance of a vendor is counted from. */
export const receipts = defineTable({
  name: 'receipts',
  about: 'Every event of the log that reports a play, by the hour in which it was received, and what became of it.',
  orderBy: ['network_id', 'vendor', 'hour', 'pos'],
  partitionBy: byMonth('hour'),
  day: 'hour',
  replacing: { version: 'version' },
  fields: {
    network_id: network,
    vendor,
    hour: instant('The hour (UTC) in which the service took the event in.'),
    pos: position('The event'),
    outcome: word('stored, duplicate, conflict or quarantined.'),
    event_id: text('Of a conflict the id it shares with the play that stands; else empty.'),
    late: flag('1 when received more than 14 days after the play.'),
    clock_ahead: flag('1 when the play starts more than 60 s after its receipt.'),
    version: incidental(field('UInt64', 'Position folded up to when this was found; the highest stands.')),
  },
});
