import type { QuarantineReason } from '../api/types.ts';
import type { Column } from '../components/table.tsx';
import { TwoLines } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';

export const reasonColumns: readonly Column<QuarantineReason>[] = [
  {
    label: 'Schema',
    kind: 'name',
    cell: ({ vendor, schema_version, network_id }) => (
      <TwoLines sub={`network ${network_id}`}>
        {vendor} {schema_version}
      </TwoLines>
    ),
  },
  {
    label: 'Reason',
    kind: 'plain',
    cell: ({ code, latest_reason }) => (
      <TwoLines isLong sub={<code>{code}</code>}>
        {latest_reason}
      </TwoLines>
    ),
  },
  { label: 'Events', kind: 'number', cell: ({ events }) => formatWhole(events) },
];
