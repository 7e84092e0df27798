import type { Reason } from '../api/shapes.ts';
import { wholeText } from '../parts/numbers.ts';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';

const columns: readonly Column<Reason>[] = [
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
    label: 'Why',
    kind: 'plain',
    cell: ({ code, latest_reason }) => (
      <span class="cut">
        {latest_reason}
        <span class="sub">
          <code>{code}</code>
        </span>
      </span>
    ),
  },
  { label: 'Events', kind: 'number', cell: ({ events }) => wholeText(events) },
  { label: 'Oldest', cell: ({ oldest_received_at }) => <Ago at={oldest_received_at} /> },
  { label: 'Newest', cell: ({ newest_received_at }) => <Ago at={newest_received_at} /> },
];

export const Reasons = ({ reasons }: { readonly reasons: readonly Reason[] }) => (
  <Table
    caption="Events in quarantine by reason"
    columns={columns}
    rows={reasons}
    keyOf={({ network_id, vendor, schema_version, code }) => `${network_id} ${vendor} ${schema_version} ${code}`}
  />
);
