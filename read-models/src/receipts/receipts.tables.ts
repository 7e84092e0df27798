import { defineTable, defineView, field, incidental, type Sql, sql, type ViewField } from '@popsvc/platform/clickhouse';
import { byMonth, flag, instant, network, position, source, text, vendor, word } from '../declarations/fields.ts';

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

const own = (name: 'network_id' | 'vendor' | 'hour'): ViewField => ({ ...receipts.fields[name], sql: `r.${name}` });
const counted = (about: string, sql: string): ViewField => ({ type: 'UInt64', about, sql });
const outcome = (is: string, about: string) => counted(about, `countIf(r.outcome = '${is}')`);

/** What became of what a vendor sent, hour by hour. Counted whole from the receipts at each read, never added up. */
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
    stored: outcome('stored', 'First in the log of their id: these are the plays.'),
    duplicate: outcome('duplicate', 'Told again with the same content.'),
    conflict: outcome('conflict', 'Told again with another content; the first stands.'),
    quarantined: outcome('quarantined', 'Waiting for a mapping that fits, or for the registry.'),
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

/**
 * Receipts of plays, each with what it counts as (decisions 4.5): the first in the log of an id is stored, the same content
 * again is a duplicate, another a conflict. `from`: rows of `plays`, and of each id all of them.
 */
export const classifyReceipts = (from: Sql): Sql => sql`
  SELECT *, multiIf(pos = first_pos, 'stored', content_hash = first_hash, 'duplicate', 'conflict') AS outcome
  FROM (
    SELECT *, min(pos) OVER same AS first_pos, argMin(content_hash, pos) OVER same AS first_hash
    FROM ${from}
    WINDOW same AS (PARTITION BY network_id, vendor, event_id)
  )`;
