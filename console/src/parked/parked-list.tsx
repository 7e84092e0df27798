import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { ParkedEvent } from '../api/types.ts';
import { Button, Select } from '../components/controls.tsx';
import { Badge, type Tone } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines } from '../components/view.tsx';
import { Ago } from '../format/time.tsx';
import { projections } from '../state/live-state.ts';
import { useResource } from '../state/resource.ts';
import { route, updateFilters } from '../state/route.ts';
import { type Decision, DecisionDialog } from './decision-dialog.tsx';
import { RawEvent } from './raw-event.tsx';

const stateOf = ({ state, decision_pending: isPending }: ParkedEvent): readonly [Tone, string] => {
  if (state === 'discarded') return ['quiet', 'discarded'];
  return isPending ? ['busy', 'pending'] : ['warn', 'parked'];
};

const columnsWith = (choose: (decision: Decision) => void): readonly Column<ParkedEvent>[] => [
  {
    label: 'Event',
    kind: 'name',
    cell: ({ type, stream, position }) => <TwoLines sub={`${stream} · position ${position}`}>{type}</TwoLines>,
  },
  { label: 'Projection', cell: ({ projection }) => projection },
  {
    label: 'Reason',
    kind: 'plain',
    cell: ({ error, reason }) => (
      <TwoLines isLong sub={reason !== null && `discarded: ${reason}`}>
        {error}
      </TwoLines>
    ),
  },
  {
    label: 'State',
    cell: (event) => {
      const [tone, text] = stateOf(event);
      return <Badge tone={tone} text={text} />;
    },
  },
  { label: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
  { label: 'Parked', cell: ({ parked_at }) => <Ago at={parked_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: ({ projection, position, state, decision_pending: isPending }) =>
      state === 'parked' &&
      !isPending && (
        <div class="buttons">
          <Button
            size="small"
            needs="operator"
            aria-label={`Retry event ${position} of ${projection}`}
            onClick={() => choose({ action: 'retry', projection, position })}
          >
            Retry
          </Button>
          <Button
            size="small"
            needs="operator"
            aria-label={`Discard event ${position} of ${projection}`}
            onClick={() => choose({ action: 'discard', projection, position })}
          >
            Discard
          </Button>
        </div>
      ),
  },
];

const stateOptions = [
  ['parked', 'Parked'],
  ['discarded', 'Discarded'],
] as const;

const maxRows = 100;

const NoEvents = ({ isDiscarded }: { readonly isDiscarded: boolean }) =>
  isDiscarded ? (
    <EmptyState icon="parked" title="No discarded events">
      Projections skip a discarded event. It stays in this list, with the reason.
    </EmptyState>
  ) : (
    <EmptyState icon="parked" title="No parked events">
      A projection parks an event that it cannot process, and continues with the others.
    </EmptyState>
  );

export const ParkedList = () => {
  const { query: filters } = route.value;
  const projection = filters.get('projection') ?? '';
  // Events in the state `parked` need a decision and would be hard to find among discarded ones.
  const state = stateOptions.find(([each]) => each === filters.get('state'))?.[0] ?? 'parked';
  const [decision, setDecision] = useState<Decision>();
  const [isDecisionPending, setIsDecisionPending] = useState(false);
  const page = useResource(
    `parked ${projection} ${state}`,
    async (signal) => {
      const query = {
        limit: maxRows,
        state,
        ...(projection !== '' && { projection }),
      };
      const loaded = await responseData(ops.GET('/ops/v1/parked', { params: { query }, signal }));
      setIsDecisionPending(loaded.parked.some((event) => event.decision_pending));
      return loaded;
    },
    // Projectors apply a decision within seconds, and the operator waits for the result.
    { everyMs: isDecisionPending ? 1_000 : 5_000, resets: true },
  );
  const projectionOptions = (projections.value ?? []).map(({ name }) => [name, name] as const);
  const canDecideAll = state === 'parked' && projection !== '' && (page.data?.parked.length ?? 0) > 0;
  return (
    <>
      <div class="filters">
        <Select
          label="Projection"
          value={projection}
          options={[['', 'All'], ...projectionOptions]}
          onSelect={(value) => updateFilters({ projection: value })}
        />
        <Select
          label="State"
          value={state}
          options={stateOptions}
          onSelect={(value) => updateFilters({ state: value })}
        />
        {canDecideAll && (
          <div class="buttons">
            <Button needs="operator" onClick={() => setDecision({ action: 'retry', projection })}>
              Retry all of {projection}
            </Button>
            <Button needs="operator" onClick={() => setDecision({ action: 'discard', projection })}>
              Discard all
            </Button>
          </div>
        )}
      </div>
      <Loaded resource={page}>
        {({ parked, next_after }) =>
          parked.length === 0 ? (
            <NoEvents isDiscarded={state === 'discarded'} />
          ) : (
            <>
              <Table
                caption={state === 'parked' ? 'Parked events' : 'Discarded events'}
                columns={columnsWith(setDecision)}
                rows={parked}
                keyOf={({ projection: name, generation, position }) => `${name} ${generation} ${position}`}
                detail={({ raw, position }) => <RawEvent raw={raw} id={position} />}
              />
              {next_after !== null && (
                <p class="more">
                  The first {maxRows}. <code>npx popsvc events parked list</code> lists all.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {decision && <DecisionDialog {...decision} close={() => setDecision(undefined)} onDone={page.reload} />}
    </>
  );
};
