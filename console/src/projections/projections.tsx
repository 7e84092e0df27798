import { useState } from 'preact/hooks';
import type { Projection } from '../api/types.ts';
import { Badge, type Tone } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Skeleton, ViewHeader } from '../components/view.tsx';
import { formatCount, formatDuration, formatWhole } from '../format/numbers.ts';
import { projections, replays } from '../state/live-state.ts';
import { hrefTo } from '../state/route.ts';
import { type ProjectionAction, ProjectionActionDialog, ProjectionActions } from './actions.tsx';
import { ReplayHistory } from './replay-history.tsx';
import { RunningReplay } from './running-replay.tsx';

const states: Readonly<Record<Projection['state'], readonly [tone: Tone, about: string]>> = {
  running: ['good', 'It processes new events.'],
  starting: ['busy', 'It reads its checkpoint.'],
  waiting: ['quiet', 'Another process runs it.'],
  paused: ['warn', 'An operator paused it.'],
  failing: ['bad', 'It retries automatically; the error is shown below.'],
  'rebuild-needed': ['bad', 'It was projected from another log. A retry cannot help; replay it.'],
  damaged: ['bad', 'Tables of it are damaged. A replay rebuilds them.'],
  stopped: ['bad', 'No process runs it.'],
};

const ProjectionState = ({ projection: { state, outdated } }: { readonly projection: Projection }) => {
  const [tone, about] = states[state];
  return (
    <>
      <Badge tone={tone} text={state} title={about} />{' '}
      {outdated && (
        <Badge tone="warn" text="outdated" title="An older version of the service built its tables; replay it." />
      )}
    </>
  );
};

const lagText = ({ lag_events, lag_seconds }: Pick<Projection, 'lag_events' | 'lag_seconds'>): string => {
  if (lag_events === null) return 'unknown';
  if (lag_events === 0) return 'none';
  const age = lag_seconds === null ? '' : `, ${formatDuration(lag_seconds)}`;
  return `${formatCount(lag_events, 'event')}${age}`;
};

const ProjectionDetail = ({ projection: { error, partitions } }: { readonly projection: Projection }) => (
  <>
    {error !== null && <div class="error-box">{error}</div>}
    {partitions.length > 1 && (
      <ul>
        {partitions.map((each) => (
          <li key={each.partition}>
            Partition {each.partition}: {each.state}, {each.owner ?? 'no process'}, lag {lagText(each)}
          </li>
        ))}
      </ul>
    )}
  </>
);

const columnsWith = (choose: (action: ProjectionAction, name: string) => void): readonly Column<Projection>[] => [
  { label: 'Projection', kind: 'name', cell: ({ name }) => name },
  { label: 'State', cell: (projection) => <ProjectionState projection={projection} /> },
  { label: 'Lag', kind: 'number', cell: (projection) => lagText(projection) },
  {
    label: 'Parked',
    kind: 'number',
    cell: ({ name, parked }) =>
      parked === 0 ? '0' : <a href={hrefTo('parked', '', { projection: name })}>{formatWhole(parked)}</a>,
  },
  { label: 'Generation', kind: 'number', cell: ({ generation }) => generation },
  { label: 'Position', kind: 'number', cell: ({ position }) => <span class="mono">{position}</span> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (projection) => (
      <ProjectionActions projection={projection} choose={(action) => choose(action, projection.name)} />
    ),
  },
];

export const Projections = () => {
  const [chosen, setChosen] = useState<{ action: ProjectionAction; name: string }>();
  const rows = projections.value;
  return (
    <section class="view">
      <ViewHeader
        title="Projections"
        about="Projections compute the tables of the reports from the log, and can rebuild them."
      />
      {replays.value.map((replay) => (
        <RunningReplay key={replay.id} replay={replay} />
      ))}
      {rows ? (
        <Table
          caption="Projections"
          columns={columnsWith((action, name) => setChosen({ action, name }))}
          rows={rows}
          keyOf={({ name }) => name}
          detail={(projection) =>
            (projection.error !== null || projection.partitions.length > 1) && (
              <ProjectionDetail projection={projection} />
            )
          }
        />
      ) : (
        <Skeleton />
      )}
      <ReplayHistory runningCount={replays.value.length} />
      {chosen && <ProjectionActionDialog {...chosen} close={() => setChosen(undefined)} />}
    </section>
  );
};
