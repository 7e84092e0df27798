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

/** Events that a projection could not fold, while the rest went on. */
export const Parked = () => {
  const projection = place.value.query.get('projection') ?? '';
  const [chosen, setChosen] = useState<Chosen>();
  // What was decided is done within seconds, and whoever decided it waits to see what came of it.
  const [isUnderWay, setUnderWay] = useState(false);
  const asked = useAsked(
    `parked ${projection}`,
    async (signal) => {
      const query = { limit: 100, ...(projection !== '' && { projection: projection as 'coffee' }) };
      const page = await dataOf(ops.GET('/ops/v1/parked', { params: { query }, signal }));
      setUnderWay(page.parked.some((event) => event.asked));
      return page;
    },
    { everyMs: isUnderWay ? 1_000 : 5_000 },
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
        {hasSome && projection !== '' && (
          <div class="buttons">
            <Button onClick={() => setChosen({ act: 'retry', projection })}>Retry all of {projection}</Button>
            <Button onClick={() => setChosen({ act: 'discard', projection })}>Discard all</Button>
          </div>
        )}
      </div>
      <Answer asked={asked}>
        {({ parked }) =>
          parked.length === 0 ? (
            <Empty icon="set-aside" title="Nothing is parked">
              Every projection could fold every event. One that cannot be folded waits here, so that the rest flows on.
            </Empty>
          ) : (
            <Table
              caption="Parked events"
              columns={parkedColumns(setChosen)}
              rows={parked}
              keyOf={keyOf}
              below={({ raw, position }) => <Raw raw={raw} of={position} />}
            />
          )
        }
      </Answer>
      {chosen && <ParkedAct {...chosen} close={() => setChosen(undefined)} done={asked.again} />}
    </>
  );
};
