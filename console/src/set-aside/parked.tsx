import { useState } from 'preact/hooks';
import { dataOf, ops } from '../api/ops.ts';
import type { ParkedEvent } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Select } from '../parts/field.tsx';
import { Answer, Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { place, refine } from '../state/place.ts';
import { projections } from '../state/live.ts';
import { useAsked } from '../state/use-asked.ts';
import { ParkedAct, type Chosen } from './parked-act.tsx';
import { parkedColumns } from './parked-columns.tsx';
import { Raw } from './raw.tsx';

const keyOf = ({ projection, generation, position }: ParkedEvent) => `${projection} ${generation} ${position}`;

const states = [
  ['parked', 'Parked'],
  ['discarded', 'Discarded'],
] as const;

const shown = 100;

const None = ({ isDiscarded }: { readonly isDiscarded: boolean }) =>
  isDiscarded ? (
    <Empty icon="set-aside" title="Nothing was discarded">
      What is discarded is passed over for good, and stays listed here with its reason.
    </Empty>
  ) : (
    <Empty icon="set-aside" title="Nothing is parked">
      Every projection could fold every event. One that cannot be folded waits here, so that the rest flows on.
    </Empty>
  );

/** Events that a projection could not fold, while the rest went on. */
export const Parked = () => {
  const { query: filters } = place.value;
  const projection = filters.get('projection') ?? '';
  // What waits for somebody is not to be looked for behind what was decided long ago.
  const state = states.find(([each]) => each === filters.get('state'))?.[0] ?? 'parked';
  const [chosen, setChosen] = useState<Chosen>();
  // What was decided is done within seconds, and whoever decided it waits to see what came of it.
  const [isUnderWay, setUnderWay] = useState(false);
  const asked = useAsked(
    `parked ${projection} ${state}`,
    async (signal) => {
      const query = { limit: shown, state, ...(projection !== '' && { projection: projection as 'coffee' }) };
      const page = await dataOf(ops.GET('/ops/v1/parked', { params: { query }, signal }));
      setUnderWay(page.parked.some((event) => event.decision_pending));
      return page;
    },
    { everyMs: isUnderWay ? 1_000 : 5_000, resets: true },
  );
  const names = (projections.value ?? []).map(({ name }) => [name, name] as const);
  const hasSome = (asked.data?.parked.length ?? 0) > 0;
  return (
    <>
      <div class="filters">
        <Select
          label="Projection"
          value={projection}
          options={[['', 'All'], ...names]}
          choose={(value) => refine({ projection: value })}
        />
        <Select label="State" value={state} options={states} choose={(value) => refine({ state: value })} />
        {state === 'parked' && hasSome && projection !== '' && (
          <div class="buttons">
            <Button onClick={() => setChosen({ act: 'retry', projection })}>Retry all of {projection}</Button>
            <Button onClick={() => setChosen({ act: 'discard', projection })}>Discard all</Button>
          </div>
        )}
      </div>
      <Answer asked={asked}>
        {({ parked, next_cursor }) =>
          parked.length === 0 ? (
            <None isDiscarded={state === 'discarded'} />
          ) : (
            <>
              <Table
                caption={state === 'parked' ? 'Parked events' : 'Discarded events'}
                columns={parkedColumns(setChosen)}
                rows={parked}
                keyOf={keyOf}
                below={({ raw, position }) => <Raw raw={raw} of={position} />}
              />
              {next_cursor !== null && (
                <p class="more">The first {shown}. The command line has them all: npx popsvc events parked list.</p>
              )}
            </>
          )
        }
      </Answer>
      {chosen && <ParkedAct {...chosen} close={() => setChosen(undefined)} done={asked.again} />}
    </>
  );
};
