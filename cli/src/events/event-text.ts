import { columns } from '../program/columns.ts';
import { balanceFields } from './balance-text.ts';
import type { ToldEvent, ToldFound, ToldReceipt } from './told-events.ts';

const receiptFields = ['received_at', 'outcome', 'late', 'clock_ahead', 'position', 'reason'];

const whereTo = ({ status, coffee_rows, pop_types, projected_at }: ToldFound): string =>
  status === 'projected'
    ? `projected into ${coffee_rows} coffee rows (${pop_types.join(', ')}) at ${projected_at}`
    : status;

const counted = ({ received, stored, duplicate, conflict, quarantined }: ToldFound): string =>
  `received ${received}: ${stored} stored, ${duplicate} duplicate, ${conflict} conflict, ${quarantined} quarantined`;

const rawText = ({ position, raw }: ToldReceipt): string =>
  raw
    ? `${raw.stream} revision ${raw.revision}, position ${position}: ${raw.type}\n${JSON.stringify(raw.data, null, 2)}`
    : `position ${position}: the log has nothing there`;

const foundText = (found: ToldFound): string =>
  [
    `${found.vendor} in network ${found.network_id}: ${whereTo(found)}`,
    counted(found),
    columns(found.receipts, receiptFields, ''),
    ...found.receipts.map(rawText),
    `what became of everything ${found.vendor} sent in these hours`,
    columns(found.balance, balanceFields, 'Not counted yet.'),
  ].join('\n\n');

/** Everything that is known of an event, for people. */
export const eventText = ({ found }: ToldEvent): string => found.map(foundText).join('\n\n\n');
