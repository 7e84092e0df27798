import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { WebhookDelivery } from '../api/types.ts';
import { Button, Select } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Badge, type Tone } from '../components/indicators.tsx';
import { showNotice } from '../components/notices.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { formatCount } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo, route, updateFilters } from '../state/route.ts';

type State = WebhookDelivery['state'];

const states: readonly (readonly [State, string])[] = [
  ['dead', 'Dead letters'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
];
const tones: Readonly<Record<State, Tone>> = { dead: 'warn', pending: 'busy', delivered: 'good' };

const maxRows = 100;

type Selection = WebhookDelivery | 'dead';

const RedeliverDialog = ({
  webhook,
  selection,
  close,
  onDone,
}: {
  readonly webhook: string;
  readonly selection: Selection;
  readonly close: () => void;
  readonly onDone: () => void;
}) => {
  const target = selection === 'dead' ? 'all dead letters' : `notice ${selection.webhook_id}`;
  const redeliver = async () => {
    const body = selection === 'dead' ? {} : { deliveries: [selection.id] };
    const request = { params: { path: { id: webhook } }, body };
    const { queued } = await responseData(ops.POST('/ops/v1/webhooks/{id}/redeliver', request));
    showNotice('good', `${formatCount(queued, 'notice')} will be posted again.`);
    onDone();
  };
  return (
    <Dialog title={`Post ${target} again?`} action="Redeliver" run={redeliver} close={close}>
      <p>
        The subscriber receives the same webhook-id as before, so that it can recognize a notice that it already has. If
        the attempts fail again, the notice becomes a dead letter again.
      </p>
    </Dialog>
  );
};

const columnsWith = (choose: (selection: Selection) => void): readonly Column<WebhookDelivery>[] => [
  {
    label: 'Notice',
    kind: 'name',
    cell: ({ payload, webhook_id }) => <TwoLines sub={webhook_id}>{payload.type}</TwoLines>,
  },
  {
    label: 'About',
    kind: 'plain',
    cell: ({ payload }) => <code class="long-text">{JSON.stringify(payload.data)}</code>,
  },
  { label: 'State', cell: ({ state }) => <Badge tone={tones[state]} text={state} /> },
  {
    label: 'Last attempt',
    kind: 'plain',
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last ? (
        <TwoLines
          sub={
            <>
              {formatCount(attempts.length, 'attempt')}, <Ago at={last.at} />
            </>
          }
        >
          {last.error ?? `status ${last.status}`}
        </TwoLines>
      ) : (
        '–'
      );
    },
  },
  { label: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (delivery) =>
      delivery.state !== 'pending' && (
        <Button
          size="small"
          needs="operator"
          aria-label={`Redeliver ${delivery.webhook_id}`}
          onClick={() => choose(delivery)}
        >
          Redeliver
        </Button>
      ),
  },
];

export const WebhookDetail = ({ id }: { readonly id: string }) => {
  const state = states.find(([each]) => each === route.value.query.get('state'))?.[0] ?? 'dead';
  const [selection, setSelection] = useState<Selection>();
  const page = useResource(
    `webhook ${id} ${state}`,
    (signal) => {
      const params = { path: { id }, query: { state, limit: maxRows } };
      return responseData(ops.GET('/ops/v1/webhooks/{id}/deliveries', { params, signal }));
    },
    { everyMs: 5_000 },
  );
  return (
    <section class="view">
      <ViewHeader title="Deliveries" about={`Notices of the webhook ${id}, newest first. They are kept for 30 days.`} />
      <div class="filters">
        <Select label="State" value={state} options={states} onSelect={(value) => updateFilters({ state: value })} />
        {state === 'dead' && (
          <Button needs="operator" onClick={() => setSelection('dead')}>
            Redeliver all dead letters
          </Button>
        )}
        <a href={hrefTo('webhooks')}>All webhooks</a>
      </div>
      <Loaded resource={page}>
        {({ deliveries, next_before }) =>
          deliveries.length === 0 ? (
            <EmptyState icon="webhooks" title="No such deliveries">
              Select another state to see more.
            </EmptyState>
          ) : (
            <>
              <Table
                caption="Deliveries"
                columns={columnsWith(setSelection)}
                rows={deliveries}
                keyOf={(each) => each.id}
              />
              {next_before !== null && (
                <p class="more">
                  <code>npx popsvc webhooks deliveries {id}</code> lists older ones.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {selection !== undefined && (
        <RedeliverDialog
          webhook={id}
          selection={selection}
          close={() => setSelection(undefined)}
          onDone={() => page.reload()}
        />
      )}
    </section>
  );
};
