import type { WaitingEvent } from '../api/shapes.ts';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { addressOf } from '../state/place.ts';
import { Raw } from './raw.tsx';

const columns: readonly Column<WaitingEvent>[] = [
  {
    label: 'Event',
    kind: 'name',
    cell: ({ event_id, position }) => (
      <span>
        {event_id ?? 'without an id'}
        <span class="sub">position {position}</span>
      </span>
    ),
  },
  {
    label: 'Schema',
    cell: ({ vendor, schema_version }) => (
      <span>
        {vendor} {schema_version}
      </span>
    ),
  },
  { label: 'Why', kind: 'plain', cell: ({ reason }) => <span class="cut">{reason}</span> },
  { label: 'Received', cell: ({ received_at }) => <Ago at={received_at} /> },
  {
    label: 'Came by',
    cell: ({ job_id, job_row }) =>
      job_id === null ? 'request' : <a href={addressOf('jobs', job_id)}>{`job, row ${job_row ?? '?'}`}</a>,
  },
];

export const Waiting = ({ events }: { readonly events: readonly WaitingEvent[] }) => (
  <Table
    caption="The newest events in quarantine"
    columns={columns}
    rows={events}
    keyOf={({ position }) => position}
    below={({ raw, event_id, position }) => <Raw raw={raw} of={event_id ?? position} />}
  />
);
