import type { NetworkSummary } from '../api/types.ts';
import { Badge } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, ViewHeader } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';
import { Ago, Time } from '../format/time.tsx';
import { hrefTo } from '../state/route.ts';
import { useNetworkSummaries } from './use-network-summaries.ts';

/** Shows when the last heartbeat and the last plays of a network were received. */
export const LastReceived = ({
  network: { last_heartbeat_at: heartbeat, last_plays_hour: plays, timezone },
}: {
  readonly network: NetworkSummary;
}) => (
  <span>
    {heartbeat === null ? (
      'no heartbeat'
    ) : (
      <>
        heartbeat <Ago at={heartbeat} site={timezone} />
      </>
    )}
    <span class="sub">
      {plays === null ? (
        'no plays in 24 h'
      ) : (
        <>
          plays in the hour from <Time at={plays} site={timezone} />
        </>
      )}
    </span>
  </span>
);

const columns: readonly Column<NetworkSummary>[] = [
  {
    label: 'Network',
    kind: 'name',
    cell: ({ id, name, timezone, retired }) => (
      <span>
        <a href={hrefTo('networks', id)}>{name}</a> {retired && <Badge tone="quiet" text="retired" />}
        <span class="sub">
          {id} · {timezone}
        </span>
      </span>
    ),
  },
  { label: 'Sites', kind: 'number', cell: ({ sites }) => formatWhole(sites) },
  {
    label: 'Devices',
    kind: 'number',
    cell: ({ devices, online }) => (devices === 0 ? '0' : `${formatWhole(online)} of ${formatWhole(devices)} online`),
  },
  { label: 'Plays in 24 h', kind: 'number', cell: ({ plays }) => formatWhole(plays) },
  { label: 'Quarantined', kind: 'number', cell: ({ quarantined }) => formatWhole(quarantined) },
  { label: 'Last received', cell: (network) => <LastReceived network={network} /> },
  {
    label: 'Data as of',
    cell: ({ data_as_of: asOf, timezone }) => (asOf === null ? '–' : <Ago at={asOf} site={timezone} />),
  },
];

/** Lists all networks. */
export const Networks = () => {
  const summaries = useNetworkSummaries();
  return (
    <section class="view">
      <ViewHeader title="Networks" about="Plays count by the hour of receipt. Retired networks are last." />
      <Loaded resource={summaries} lines={8}>
        {({ networks }) =>
          networks.length === 0 ? (
            <EmptyState icon="networks" title="No networks yet">
              The registry contains the networks. <a href={hrefTo('registry')}>Upload a registry file.</a>
            </EmptyState>
          ) : (
            <Table caption="Networks" columns={columns} rows={networks} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </section>
  );
};
