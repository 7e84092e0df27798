import type { Webhook } from '../api/types.ts';
import { ops, responseData } from '../api/client.ts';
import { NetworkSelect } from '../components/controls.tsx';
import { Badge } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo, route, updateFilters } from '../state/route.ts';

const ownerOf = ({ vendor, client_id: client }: Webhook): string => {
  if (client !== null) return `partner ${client}`;
  return vendor === null ? 'operators' : `vendor ${vendor}`;
};

const columns: readonly Column<Webhook>[] = [
  {
    label: 'URL',
    kind: 'name',
    cell: ({ id, url, description }) => (
      <TwoLines sub={description ?? id}>
        <a href={hrefTo('webhooks', id)}>{url}</a>
      </TwoLines>
    ),
  },
  {
    label: 'Owner',
    cell: (webhook) => <TwoLines sub={`network ${webhook.network_id}`}>{ownerOf(webhook)}</TwoLines>,
  },
  { label: 'Notices', cell: ({ types }) => types.join(', ') },
  { label: 'Pending', kind: 'number', cell: ({ pending }) => formatWhole(pending) },
  {
    label: 'Dead letters',
    cell: ({ dead }) => (dead === 0 ? '0' : <Badge tone="warn" text={formatWhole(dead)} />),
  },
  { label: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
];

export const Webhooks = () => {
  const network = route.value.query.get('network') ?? '';
  const page = useResource(
    `webhooks ${network}`,
    (signal) => {
      const query = network === '' ? {} : { network: Number(network) };
      return responseData(ops.GET('/ops/v1/webhooks', { params: { query }, signal }));
    },
    { everyMs: 10_000 },
  );
  return (
    <section class="view">
      <ViewHeader
        title="Webhooks"
        about="URLs of partners and vendors to which notices are posted. Dead letters are notices that were not delivered in ten attempts."
      />
      <div class="filters">
        <NetworkSelect value={network} onSelect={(selected) => updateFilters({ network: selected })} />
      </div>
      <Loaded resource={page}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <EmptyState icon="webhooks" title="No webhooks">
              Partners and vendors subscribe with their API; operators with <code>npx popsvc webhooks create</code>.
            </EmptyState>
          ) : (
            <Table caption="Webhooks" columns={columns} rows={webhooks} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </section>
  );
};
