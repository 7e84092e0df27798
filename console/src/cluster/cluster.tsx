import { ops, responseData } from '../api/client.ts';
import type { Cluster as ClusterState, Member, Replica } from '../api/types.ts';
import { Badge, type Tone } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, ViewHeader } from '../components/view.tsx';
import { formatCount, formatDuration, formatWhole } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';

/** For example, `Runs coffee (partitions 0, 2), registry (partition 0).` */
const describeWork = ({ partitions }: Member, count: number): string => {
  const ofProjection = new Map<string, number[]>();
  for (const { projection, partition } of partitions)
    ofProjection.set(projection, [...(ofProjection.get(projection) ?? []), partition]);
  const names = [...ofProjection].map(([projection, own]) =>
    count === 1 ? projection : `${projection} (partition${own.length === 1 ? '' : 's'} ${own.join(', ')})`,
  );
  return `Runs ${names.join(', ')}.`;
};

const memberColumns = (partitionCount: number): readonly Column<Member>[] => [
  { label: 'Process', kind: 'name', cell: ({ name }) => name },
  {
    label: 'State',
    cell: ({ alive }) =>
      alive ? (
        <Badge tone="good" text="alive" />
      ) : (
        <Badge tone="quiet" text="gone" title="It stopped reporting more than ten seconds ago." />
      ),
  },
  { label: 'Started', cell: ({ started_at }) => <Ago at={started_at} /> },
  { label: 'Last report', cell: ({ seen_at }) => <Ago at={seen_at} /> },
  {
    label: partitionCount === 1 ? 'Projections' : 'Partitions',
    kind: 'number',
    cell: ({ partitions }) => formatWhole(partitions.length),
  },
];

const replicaStates: Readonly<Record<Replica['state'], readonly [tone: Tone, about: string]>> = {
  ready: ['good', 'Reports are read from it.'],
  'not-ready': ['warn', 'No report is read from it: its tables are not verified, or it is behind.'],
  'no-database': ['bad', 'It responds, and the database of the service is missing.'],
  'wrong-shard': ['bad', 'It is not used: its database belongs to another shard.'],
  down: ['bad', 'It does not respond.'],
};

const ReplicaStateBadge = ({ state }: Pick<Replica, 'state'>) => {
  const [tone, about] = replicaStates[state];
  return <Badge tone={tone} text={state} title={about} />;
};

const figure = (replica: Replica, text: (replica: Replica) => string): string =>
  replica.error === null ? text(replica) : '–';

const replicaColumns: readonly Column<Replica>[] = [
  { label: 'Server', kind: 'name', cell: ({ server }) => server },
  { label: 'Shard', kind: 'number', cell: ({ shard }) => formatWhole(shard) },
  { label: 'State', cell: ({ state }) => <ReplicaStateBadge state={state} /> },
  {
    label: 'Delay',
    kind: 'number',
    cell: (replica) => figure(replica, (up) => (up.delay_seconds === 0 ? 'none' : formatDuration(up.delay_seconds))),
  },
  {
    label: 'Queued tasks',
    kind: 'number',
    cell: (replica) => figure(replica, (up) => formatWhole(up.queued_tasks)),
  },
  {
    label: 'Read-only tables',
    kind: 'number',
    cell: (replica) => figure(replica, (up) => formatWhole(up.read_only_tables)),
  },
  { label: 'Lost parts', kind: 'number', cell: (replica) => figure(replica, (up) => formatWhole(up.lost_parts)) },
  { label: 'Broken parts', kind: 'number', cell: (replica) => figure(replica, (up) => formatWhole(up.broken_parts)) },
];

const ClusterTables = ({ cluster: { members, replicas, partitions } }: { readonly cluster: ClusterState }) => (
  <>
    <h2>Processes of projectors</h2>
    <p class="muted">
      {partitions === 1
        ? 'Each projection runs as a whole in one process.'
        : `coffee, watcher-summary, uptime and status are split into ${formatCount(partitions, 'partition')} by network, in each shard of ClickHouse.`}
    </p>
    {members.length === 0 ? (
      <EmptyState icon="projections" title="No process of projectors reported">
        Start the projectors. Each process reports every second.
      </EmptyState>
    ) : (
      <Table
        caption="Processes of projectors"
        columns={memberColumns(partitions)}
        rows={members}
        keyOf={({ name }) => name}
        detail={(member) => member.partitions.length > 0 && <p class="muted">{describeWork(member, partitions)}</p>}
      />
    )}
    <h2>ClickHouse servers</h2>
    <Table
      caption="ClickHouse servers"
      columns={replicaColumns}
      rows={replicas}
      keyOf={({ server }) => server}
      detail={({ error }) => error !== null && <div class="error-box">{error}</div>}
    />
  </>
);

export const Cluster = () => {
  const cluster = useResource('cluster', (signal) => responseData(ops.GET('/ops/v1/cluster', { signal })), {
    everyMs: 5_000,
  });
  return (
    <section class="view">
      <ViewHeader
        title="Cluster"
        about="Processes that share the projections, and the servers that store the reports."
      />
      <Loaded resource={cluster}>{(data) => <ClusterTables cluster={data} />}</Loaded>
    </section>
  );
};
