import { ops, responseData } from '../api/client.ts';
import type { UnknownReference } from '../api/types.ts';
import { type Column, Table } from '../components/table.tsx';
import { Loaded, NothingFound, TwoLines } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo } from '../state/route.ts';

const names = { screenId: 'screen', campaignId: 'campaign', creativeId: 'creative' } as const;

const columns: readonly Column<UnknownReference>[] = [
  {
    label: 'Id',
    kind: 'name',
    cell: ({ value, field }) => (
      <TwoLines isLong sub={names[field]}>
        {value}
      </TwoLines>
    ),
  },
  {
    label: 'Vendor',
    cell: ({ vendor, network_id }) => <TwoLines sub={`network ${network_id}`}>{vendor}</TwoLines>,
  },
  { label: 'Plays', kind: 'number', cell: ({ count }) => formatWhole(count) },
  { label: 'Last received', cell: ({ last_received_at }) => <Ago at={last_received_at} /> },
];

interface UnknownReferenceTableProps {
  readonly filter: { readonly network?: number; readonly vendor?: string };
}

export const UnknownReferenceTable = ({ filter }: UnknownReferenceTableProps) => {
  // Not reloaded periodically, because the server reads all plays of the seven days for the list.
  const unknown = useResource(
    `unknown references ${JSON.stringify(filter)}`,
    (signal) =>
      responseData(ops.GET('/ops/v1/unknown-references', { params: { query: { ...filter, limit: 200 } }, signal })),
    { resets: true },
  );
  return (
    <Loaded resource={unknown}>
      {({ references, is_truncated }) =>
        references.length === 0 ? (
          <NothingFound tone="good">Plays of the last seven days contain no unknown ids.</NothingFound>
        ) : (
          <>
            <p class="muted">
              Reports contain the plays without the names of these ids. Add them to the{' '}
              <a href={hrefTo('registry')}>registry</a>, or ask the vendor to correct them.
              {is_truncated && ' Shows the 200 most frequent ones.'}
            </p>
            <Table
              caption="Unknown ids"
              columns={columns}
              rows={references}
              keyOf={({ network_id, vendor, field, value }) => `${network_id} ${vendor} ${field} ${value}`}
            />
          </>
        )
      }
    </Loaded>
  );
};

export const UnknownReferences = () => <UnknownReferenceTable filter={{}} />;
