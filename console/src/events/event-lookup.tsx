import { ApiError, ops, responseData } from '../api/client.ts';
import type { ShownEvent } from '../api/types.ts';
import { NetworkSelect, SearchField } from '../components/controls.tsx';
import { Badge, type Tone } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Fact, Loaded, ViewHeader } from '../components/view.tsx';
import { formatCount, formatWhole } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { RawEvent } from '../parked/raw-event.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo, route, updateFilters } from '../state/route.ts';

type FoundEvent = ShownEvent['found'][number];
type Receipt = FoundEvent['receipts'][number];

const outcomeTones: Readonly<Record<Receipt['outcome'], Tone>> = {
  stored: 'good',
  duplicate: 'quiet',
  conflict: 'bad',
  quarantined: 'warn',
};

const noteOf = ({ late, clock_ahead, reason, waited_because, released_by_mapping }: Receipt): string =>
  [
    late && 'late',
    clock_ahead && 'ahead of the clock of the service',
    reason,
    waited_because !== undefined && `waited: ${waited_because}`,
    released_by_mapping !== undefined && `released by version ${released_by_mapping} of the mapping`,
  ]
    .filter((text) => typeof text === 'string')
    .join('; ');

const receiptColumns: readonly Column<Receipt>[] = [
  { label: 'Position', kind: 'name', cell: ({ position }) => <span class="mono">{position}</span> },
  { label: 'Outcome', cell: ({ outcome }) => <Badge tone={outcomeTones[outcome]} text={outcome} /> },
  { label: 'Note', kind: 'plain', cell: (receipt) => <span class="long-text">{noteOf(receipt) || '–'}</span> },
  { label: 'Received', cell: ({ received_at }) => <Time at={received_at} /> },
  { label: 'Recorded', cell: ({ recorded_at }) => <Time at={recorded_at} /> },
];

const Found = ({ event }: { readonly event: FoundEvent }) => {
  const { network_id: network, vendor, status, coffee_rows, pop_types, projected_at, receipts } = event;
  return (
    <>
      <div class="card">
        <dl class="facts">
          <Fact name="Vendor" sub={`network ${network}`}>
            <a href={hrefTo('vendors', '', { network, vendor })}>{vendor}</a>
          </Fact>
          <Fact name="Status">{status}</Fact>
          <Fact name="Receipts">{formatWhole(event.received)}</Fact>
          <Fact name="Rows in coffee" sub={pop_types.join(', ')}>
            {formatWhole(coffee_rows)}
          </Fact>
          {projected_at !== null && (
            <Fact name="Projected">
              <Time at={projected_at} />
            </Fact>
          )}
        </dl>
      </div>
      <Table
        caption={`Receipts of ${vendor}`}
        columns={receiptColumns}
        rows={receipts}
        keyOf={({ position }) => position}
        detail={({ raw, position }) => raw && <RawEvent raw={JSON.stringify(raw)} id={position} />}
      />
    </>
  );
};

export const EventLookup = () => {
  const { query } = route.value;
  const [id = '', network = ''] = ['id', 'network'].map((name) => query.get(name) ?? '');
  const event = useResource(
    `event ${network} ${id}`,
    async (signal) => {
      if (id === '') return undefined;
      const params = { query: { id, ...(network !== '' && { network: Number(network) }) } };
      return responseData(ops.GET('/ops/v1/events', { params, signal })).catch((error: unknown) => {
        if (error instanceof ApiError && error.details.status === 404) return { found: [] };
        throw error;
      });
    },
    { resets: true },
  );
  return (
    <section class="view">
      <ViewHeader
        title="Event look-up"
        about="What became of an event: each receipt, its outcome, and its rows in reports."
      />
      <div class="filters" role="search">
        <SearchField value={id} placeholder="Event id, exactly" onSearch={(value) => updateFilters({ id: value })} />
        <NetworkSelect value={network} onSelect={(value) => updateFilters({ network: value })} />
      </div>
      {id === '' ? (
        <EmptyState icon="events" title="Enter the id of an event">
          The id as the vendor sent it (<code>eventId</code>), of a play or of an event in quarantine.
        </EmptyState>
      ) : (
        <Loaded resource={event}>
          {(found) => (
            <>
              {found?.found.length === 0 && (
                <EmptyState icon="events" title="No event with this id was received">
                  An event that was just sent appears within seconds.
                </EmptyState>
              )}
              {(found?.found.length ?? 0) > 1 && (
                <p class="muted">{formatCount(found?.found.length ?? 0, 'vendor')} sent an event with this id.</p>
              )}
              {found?.found.map((each) => (
                <Found key={`${each.network_id} ${each.vendor}`} event={each} />
              ))}
            </>
          )}
        </Loaded>
      )}
    </section>
  );
};
