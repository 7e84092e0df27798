import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { QuarantinedEvent, QuarantineReason } from '../api/types.ts';
import { Button } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { showNotice } from '../components/notices.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines } from '../components/view.tsx';
import { formatCount } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo } from '../state/route.ts';
import { reasonColumns } from './reason-columns.tsx';
import { RawEvent } from './raw-event.tsx';

const columnsWith = (choose: (reason: QuarantineReason) => void): readonly Column<QuarantineReason>[] => [
  ...reasonColumns,
  { label: 'Oldest', cell: ({ oldest_received_at }) => <Ago at={oldest_received_at} /> },
  { label: 'Newest', cell: ({ newest_received_at }) => <Ago at={newest_received_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (reason) => (
      <div class="buttons">
        <Button
          size="small"
          needs="operator"
          aria-label={`Retry ${reason.vendor} ${reason.schema_version}`}
          onClick={() => choose(reason)}
        >
          Retry
        </Button>
      </div>
    ),
  },
];

interface RetryDialogProps {
  readonly reason: QuarantineReason;
  readonly close: () => void;
  readonly onDone: () => void;
}

const RetryDialog = ({ reason, close, onDone }: RetryDialogProps) => {
  const { network_id: network, vendor, schema_version, events } = reason;
  const run = async () => {
    await ops.POST('/ops/v1/quarantine/retry', { body: { network, vendor, schema_version } });
    showNotice('good', 'Retrying. Events that the mapping accepts leave the quarantine in a moment.');
    onDone();
  };
  return (
    <Dialog title={`Retry ${vendor} ${schema_version}?`} action="Retry" close={close} run={run}>
      <p>
        Applies the current mapping to {formatCount(events, 'event')} and to all other quarantined events of this
        schema. A new version of the mapping does so automatically; retry after an update of the service.
      </p>
    </Dialog>
  );
};

const eventColumns: readonly Column<QuarantinedEvent>[] = [
  {
    label: 'Event',
    kind: 'name',
    cell: ({ event_id, position }) => <TwoLines sub={`position ${position}`}>{event_id ?? 'without an id'}</TwoLines>,
  },
  {
    label: 'Schema',
    cell: ({ vendor, schema_version }) => (
      <span>
        {vendor} {schema_version}
      </span>
    ),
  },
  { label: 'Reason', kind: 'plain', cell: ({ reason }) => <span class="long-text">{reason}</span> },
  { label: 'Received', cell: ({ received_at }) => <Ago at={received_at} /> },
  {
    label: 'Source',
    cell: ({ job_id, job_row }) =>
      job_id === null ? 'request' : <a href={hrefTo('jobs', job_id)}>{`job, row ${job_row ?? '?'}`}</a>,
  },
];

export const Quarantine = () => {
  const [retried, setRetried] = useState<QuarantineReason>();
  const quarantine = useResource(
    'quarantine',
    (signal) => responseData(ops.GET('/ops/v1/quarantine', { params: { query: { limit: 50 } }, signal })),
    { everyMs: 15_000 },
  );
  return (
    <Loaded resource={quarantine}>
      {({ reasons, events }) =>
        reasons.length === 0 ? (
          <EmptyState icon="parked" title="No quarantined events">
            An event in a vendor's own schema is quarantined until a mapping fits and its screen is registered. The
            service then releases it automatically.
          </EmptyState>
        ) : (
          <>
            <p class="muted">
              The service releases them automatically when a <a href={hrefTo('mappings')}>mapping</a> fits and the
              screens are registered.
            </p>
            <Table
              caption="Quarantined events by reason"
              columns={columnsWith(setRetried)}
              rows={reasons}
              keyOf={({ network_id, vendor, schema_version, code }) =>
                `${network_id} ${vendor} ${schema_version} ${code}`
              }
            />
            <h2>Newest events</h2>
            <Table
              caption="Newest quarantined events"
              columns={eventColumns}
              rows={events}
              keyOf={({ position }) => position}
              detail={({ raw, event_id, position }) => <RawEvent raw={raw} id={event_id ?? position} />}
            />
            {retried && <RetryDialog reason={retried} close={() => setRetried(undefined)} onDone={quarantine.reload} />}
          </>
        )
      }
    </Loaded>
  );
};
