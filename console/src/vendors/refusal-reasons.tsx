import type { Refusals } from '../api/types.ts';
import { type Column, Table } from '../components/table.tsx';
import { Loaded, NothingFound, TwoLines } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import type { Resource } from '../state/resource.ts';

const columns: readonly Column<Refusals['refusals'][number]>[] = [
  {
    label: 'Vendor',
    kind: 'name',
    cell: ({ vendor, network_id }) => <TwoLines sub={`network ${network_id}`}>{vendor}</TwoLines>,
  },
  {
    label: 'Newest reason',
    kind: 'plain',
    cell: ({ code, latest_reason }) => (
      <TwoLines isLong sub={<code>{code}</code>}>
        {latest_reason}
      </TwoLines>
    ),
  },
  { label: 'Requests', kind: 'number', cell: ({ requests }) => formatWhole(requests) },
  { label: 'Events', kind: 'number', cell: ({ events }) => formatWhole(events) },
  { label: 'Newest', cell: ({ latest_at }) => <Ago at={latest_at} /> },
];

interface RefusalReasonsProps {
  readonly refusals: Resource<Refusals>;
  readonly hasEvents: boolean;
}

export const RefusalReasons = ({ refusals: resource, hasEvents }: RefusalReasonsProps) => (
  <>
    <h2>Refused requests, by reason</h2>
    <Loaded resource={resource} lines={3}>
      {({ refusals, is_truncated }) =>
        refusals.length === 0 ? (
          <NothingFound tone={hasEvents ? 'good' : 'quiet'}>
            No request was refused in this period{!hasEvents && ', and no event was received'}.
          </NothingFound>
        ) : (
          <>
            <p class="muted">
              None of the events of a refused request is stored. The response names the reason, so that the vendor can
              correct the request and send it again.
              {is_truncated && ` Shows the ${refusals.length} most frequent reasons.`}
            </p>
            <Table
              caption="Refused requests, by reason"
              columns={columns}
              rows={refusals}
              keyOf={({ network_id, vendor, code }) => `${network_id} ${vendor} ${code}`}
            />
          </>
        )
      }
    </Loaded>
  </>
);
