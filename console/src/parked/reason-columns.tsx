import type { QuarantineReason } from '../api/types.ts';
import type { Column } from '../components/table.tsx';
import { formatWhole } from '../format/numbers.ts';

/** Which events wait in quarantine, why, and how many. */
export const reasonColumns: readonly Column<QuarantineReason>[] = [
  {
    label: 'Schema',
    kind: 'name',
    cell: ({ vendor, schema_version, network_id }) => (
      <span>
        {vendor} {schema_version}
        <span class="sub">network {network_id}</span>
      </span>
    ),
  },
  {
    label: 'Reason',
    kind: 'plain',
    cell: ({ code, latest_reason }) => (
      <span class="long-text">
        {latest_reason}
        <span class="sub">
          <code>{code}</code>
        </span>
      </span>
    ),
  },
  { label: 'Events', kind: 'number', cell: ({ events }) => formatWhole(events) },
];
