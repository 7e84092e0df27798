import { defineView } from '@popsvc/platform/clickhouse';
import { receipts } from './receipts.table.js';
const own = (name) => ({ ...receipts.fields[name], sql: `r.${name}` });
const counted = (about, sql) => ({ type: 'UInt64', about, sql });
const outcome = (is, about) => counted(about, `countIf(r.outcome = '${is}')`);
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
//# sourceMappingURL=vendor-balance.view.js.map
