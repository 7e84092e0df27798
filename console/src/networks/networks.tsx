import { ops, responseData } from '../api/client.ts';
import type { NetworkSummary } from '../api/types.ts';
import { Badge } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';
import { Ago, Time } from '../format/time.tsx';
import { type Resource, useResource } from '../state/resource.ts';
import { hrefTo } from '../state/route.ts';

export const useNetworkSummaries = (): Resource<{ readonly networks: readonly NetworkSummary[] }> =>
  useResource('network summaries', (signal) => responseData(ops.GET('/ops/v1/networks/summary', { signal })), {
    everyMs: 30_000,
  });

export const LastReceived = ({
  network: { last_heartbeat_at: heartbeat, last_plays_hour: plays, timezone },
}: {
  readonly network: NetworkSummary;
}) => (
  <TwoLines
    sub={
      plays === null ? (
        'no plays in 24 h'
      ) : (
        <>
          plays in the hour from <Time at={plays} site={timezone} />
        </>
      )
    }
  >
    {heartbeat === null ? (
      'no heartbeat'
    ) : (
      <>
        heartbeat <Ago at={heartbeat} site={timezone} />
      </>
    )}
  </TwoLines>
);

const columns: readonly Column<NetworkSummary>[] = [
  {
    label: 'Network',
    kind: 'name',
    cell: ({ id, name, timezone, retired }) => (
      <TwoLines sub={`${id} · ${timezone}`}>
        <a href={hrefTo('networks', id)}>{name}</a> {retired && <Badge tone="quiet" text="retired" />}
      </TwoLines>
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
    cell: ({ data_as_of: asOf, timezone }) => <Ago at={asOf} site={timezone} />,
  },
];

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
