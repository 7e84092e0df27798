import { formatTable } from '../output/format.ts';
import type { OpsSchema } from '../service-client/ops-client.ts';

type FoundEvent = OpsSchema<'ShownEvent'>['found'][number];
type Receipt = FoundEvent['receipts'][number];

const receiptFields = ['received_at', 'outcome', 'late', 'clock_ahead', 'position', 'reason'];
const balanceFields = [
  'hour',
  'network_id',
  'vendor',
  'received',
  'stored',
  'duplicate',
  'conflict',
  'quarantined',
  'late',
  'clock_ahead',
];

const formatStatus = ({ status, coffee_rows, pop_types, projected_at }: FoundEvent): string =>
  status === 'projected'
    ? `projected into ${coffee_rows} coffee rows (${pop_types.join(', ')}) at ${projected_at}`
    : status;

const formatCounts = ({ received, stored, duplicate, conflict, quarantined }: FoundEvent): string =>
  `received ${received}: ${stored} stored, ${duplicate} duplicate, ${conflict} conflict, ${quarantined} quarantined`;

const formatContent = ({ position, raw }: Receipt): string =>
  raw
    ? `${raw.stream} revision ${raw.revision}, position ${position}: ${raw.type}\n${JSON.stringify(raw.data, null, 2)}`
    : `position ${position}: the log has no event there`;

export const formatEvent = ({ found }: OpsSchema<'ShownEvent'>): string =>
  found
    .map((event) =>
      [
        `${event.vendor} in network ${event.network_id}: ${formatStatus(event)}`,
        formatCounts(event),
        formatTable(event.receipts, receiptFields, ''),
        ...event.receipts.map(formatContent),
        `balance of ${event.vendor} in the hours of receipt`,
        formatTable(event.balance, balanceFields, 'Not counted yet.'),
      ].join('\n\n'),
    )
    .join('\n\n\n');

export const formatConflict = (conflict: OpsSchema<'Conflicts'>['conflicts'][number]): string => {
  const { network_id, vendor, event_id, differs, first, later } = conflict;
  const rows = differs.map((field) => ({ field, first: first.content?.[field], later: later.content?.[field] }));
  return [
    `${event_id}  (${vendor} in network ${network_id})`,
    `first received ${first.received_at} at position ${first.position}, again ${later.received_at} at position ${later.position}`,
    formatTable(rows, ['field', 'first', 'later'], 'The log has no content to compare.'),
  ].join('\n');
};

const reasonFields = [
  'events',
  'code',
  'network_id',
  'vendor',
  'schema_version',
  'newest_received_at',
  'latest_reason',
];
const maxContentLength = 200;

export const formatQuarantine = ({ reasons, events }: OpsSchema<'Quarantine'>): string => {
  const newest = events.map(
    ({ received_at, vendor, schema_version, position, reason, raw }) =>
      `${received_at}  ${vendor} ${schema_version}  position ${position}\n  ${reason}\n` +
      `  ${raw.slice(0, maxContentLength)}${raw.length > maxContentLength ? '…' : ''}`,
  );
  return [formatTable(reasons, reasonFields, 'No events are quarantined.'), ...newest].join('\n\n');
};

export const formatBalance = ({ hours, sum }: OpsSchema<'Balance'>): string =>
  formatTable(
    sum && hours.length > 0 ? [...hours, { hour: 'total', ...sum }] : [],
    balanceFields,
    'No events were received in this period.',
  );

const referenceFields = ['network_id', 'vendor', 'field', 'value', 'count', 'last_received_at'];

export const formatUnknownReferences = ({ references, from }: OpsSchema<'UnknownReferences'>): string =>
  formatTable(references, referenceFields, `All ids in plays since ${from} are registered.`);

const refusalFields = ['network_id', 'vendor', 'code', 'requests', 'events', 'latest_at', 'latest_reason'];

export const formatRefusals = ({ refusals, since }: OpsSchema<'Refusals'>): string =>
  formatTable(refusals, refusalFields, `No request of a vendor was refused since ${since}.`);
