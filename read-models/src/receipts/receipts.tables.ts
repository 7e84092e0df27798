import { defineTable, defineView, field, incidental, type Sql, sql, type ViewField } from '@popsvc/platform/clickhouse';
import { byMonth, flag, instant, network, sequence, source, text, vendor, word } from '../declarations/fields.ts';

export const receipts = defineTable({
  name: 'receipts',
  about: 'Events that report a play, by hour of receipt, with their outcome.',
  orderBy: ['network_id', 'vendor', 'hour', 'pos'],
  partitionBy: byMonth('hour'),
  day: 'hour',
  replacing: { version: 'version' },
  fields: {
    network_id: network,
    vendor,
    hour: instant('Hour of receipt (UTC).'),
    pos: sequence('The item'),
    outcome: word('stored, duplicate, conflict or quarantined.'),
    event_id: text('For a conflict, the event id; else empty.'),
    late: flag('1 when received more than 14 days after the play.'),
    clock_ahead: flag('1 when the play starts more than 60 s after its receipt.'),
    version: incidental(
      field('UInt64', 'Last sequence of the batch that determined the outcome; the highest is current.'),
    ),
  },
});

const own = (name: 'network_id' | 'vendor' | 'hour'): ViewField => ({ ...receipts.fields[name], sql: `r.${name}` });
const counted = (about: string, sql: string): ViewField => ({ type: 'UInt64', about, sql });
const outcome = (is: string, about: string) => counted(about, `countIf(r.outcome = '${is}')`);

export const vendorBalance = defineView({
  name: 'vendor_balance',
  about: 'By network, vendor and hour of receipt: received = stored + duplicate + conflict + quarantined.',
  over: receipts,
  groupBy: ['network_id', 'vendor', 'hour'],
  fields: {
    network_id: own('network_id'),
    vendor: own('vendor'),
    hour: own('hour'),
    received: counted('Events in the log that report a play.', 'count()'),
    stored: outcome('stored', 'First receipts of their id: these are the plays.'),
    duplicate: outcome('duplicate', 'Received again with the same content.'),
    conflict: outcome('conflict', 'Received again with other content; the first receipt counts.'),
    quarantined: outcome('quarantined', 'Waiting for a suitable mapping or for the registry.'),
    late: counted(
      'Of the stored: received more than 14 days after the play.',
      `countIf(r.outcome = 'stored' AND r.late = 1)`,
    ),
    clock_ahead: counted(
      'Of the stored: the play starts more than 60 s after its receipt.',
      `countIf(r.outcome = 'stored' AND r.clock_ahead = 1)`,
    ),
  },
});

/** Each event has one row with its current state. */
export const quarantine = defineTable({
  name: 'quarantine',
  about: 'Events that wait, or waited, for a suitable mapping or for the registration of their screen.',
  orderBy: ['network_id', 'vendor', 'schema_version', 'pos'],
  day: 'received_at',
  replacing: { version: 'tried_pos' },
  indexes: { by_event: 'event_id TYPE bloom_filter(0.01) GRANULARITY 1' },
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    schema_version: text("The vendor's name for its schema."),
    ...source,
    tried_pos: field(
      'UInt64',
      'Sequence of the last retry that changed something: the event itself, a mapping, a device or a retry request.',
    ),
    tried_at: instant('When that event was appended.'),
    state: word('waiting, or released when it has become a play.'),
    mapping_version: field('UInt32', 'Version of the mapping that released the event; 0 while it waits.'),
    event_id: text("The vendor's id of the play; empty while no mapping provides it."),
    code: word(
      'Reason code: no_mapping, missing, unparsable, invalid, no_zone, skipped_hour or too_old. Kept when released.',
    ),
    reason: text('Reason for people: the field and its problem.'),
    screens: field('Array(String)', 'Screens without a known zone; the registration of one triggers a retry.'),
    raw: text('The event as sent, JSON.'),
    raw_bytes: field('UInt32', 'Length of `raw`.'),
    max_age_days: field('Nullable(UInt32)', 'Age limit in force at receipt; null without one.'),
    job_id: text('Bulk job of the event; empty for an event of the API.'),
    job_row: field('UInt64', 'Row of the file, from 1; 0 for an event of the API.'),
  },
});

/**
 * Adds `outcome`: `stored` for the first receipt in the log, `duplicate` or `conflict` for later ones. `from`: FROM source with all
 * receipts of each play.
 */
export const classifyReceipts = (from: Sql): Sql => sql`
  SELECT *, multiIf(pos = first_pos, 'stored', content_hash = first_hash, 'duplicate', 'conflict') AS outcome
  FROM (
    SELECT *, min(pos) OVER same AS first_pos, argMin(content_hash, pos) OVER same AS first_hash
    FROM ${from}
    WINDOW same AS (PARTITION BY network_id, vendor, event_id)
  )`;
