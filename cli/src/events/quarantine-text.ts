import { columns } from '../program/columns.ts';
import type { ToldQuarantine } from './told-events.ts';

const reasonFields = [
  'events',
  'code',
  'network_id',
  'vendor',
  'schema_version',
  'newest_received_at',
  'latest_reason',
];
const shown = 200;

/** Why events wait, counted, then the newest of them. */
export const quarantineText = ({ reasons, events }: ToldQuarantine): string => {
  const newest = events.map(
    ({ received_at, vendor, schema_version, position, reason, raw }) =>
      `${received_at}  ${vendor} ${schema_version}  position ${position}\n  ${reason}\n  ${raw.slice(0, shown)}${raw.length > shown ? '…' : ''}`,
  );
  return [columns(reasons, reasonFields, 'No event waits.'), ...newest].join('\n\n');
};
