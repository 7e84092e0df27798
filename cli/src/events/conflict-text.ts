import { columns } from '../program/columns.ts';
import type { ToldConflict } from './told-events.ts';

/** What differs, the first content of the id beside the later one. */
export const conflictText = ({ network_id, vendor, event_id, differs, first, later }: ToldConflict): string => {
  const rows = differs.map((field) => ({ field, first: first.content?.[field], later: later.content?.[field] }));
  return [
    `${event_id}  (${vendor} in network ${network_id})`,
    `first received ${first.received_at} at position ${first.position}, again ${later.received_at} at position ${later.position}`,
    columns(rows, ['field', 'first', 'later'], 'The log has nothing to compare.'),
  ].join('\n');
};
