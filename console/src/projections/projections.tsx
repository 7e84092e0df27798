import { useState } from 'preact/hooks';
import type { Projection } from '../api/shapes.ts';
import { wholeText } from '../parts/numbers.ts';
import { Bones } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { addressOf } from '../state/place.ts';
import { projections, replays } from '../state/live.ts';
import { Acts } from './acts.tsx';
import { type Act, ActDialog } from './act-dialog.tsx';
import { lagText } from './lag-text.ts';
import { PastReplays } from './past-replays.tsx';
import { RunningReplay } from './running-replay.tsx';
import { StateOfProjection } from './state-of-projection.tsx';

const columns = (choose: (act: Act, name: string) => void): readonly Column<Projection>[] => [
  { label: 'Projection', kind: 'name', cell: ({ name }) => name },
  { label: 'State', cell: (row) => <StateOfProjection projection={row} /> },
  { label: 'Lag', kind: 'number', cell: (row) => lagText(row) },
  {
    label: 'Parked',
    kind: 'number',
    cell: ({ name, parked }) =>
      parked === 0 ? '0' : <a href={addressOf('set-aside', '', { projection: name })}>{wholeText(parked)}</a>,
  },
  { label: 'Generation', kind: 'number', cell: ({ generation }) => generation },
  { label: 'Position', kind: 'number', cell: ({ position }) => <span class="mono">{position}</span> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (row) => <Acts projection={row} choose={(act) => choose(act, row.name)} />,
  },
];

/** What is folded from the log, how far it is, and what operators may do with it. */
export const Projections = () => {
  const [chosen, setChosen] = useState<{ act: Act; name: string }>();
  const rows = projections.value;
  return (
    <section class="view">
      <ViewHead title="Projections" about="Everything reports read is folded from the log, and can be folded anew." />
      {replays.value.map((replay) => (
        <RunningReplay key={replay.id} replay={replay} />
      ))}
      {rows ? (
        <Table
          caption="Projections"
          columns={columns((act, name) => setChosen({ act, name }))}
          rows={rows}
          keyOf={({ name }) => name}
          below={({ error }) => error !== null && <div class="wrong">{error}</div>}
        />
      ) : (
        <Bones />
      )}
      <PastReplays running={replays.value.length} />
      {chosen && <ActDialog {...chosen} close={() => setChosen(undefined)} />}
    </section>
  );
};
