import { useState } from 'preact/hooks';
import { ops } from '../api/ops.ts';
import type { Reason } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { counted, wholeText } from '../parts/numbers.ts';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { tell } from '../state/news.ts';

const columns = (choose: (reason: Reason) => void): readonly Column<Reason>[] => [
  {
    label: 'Schema',
    kind: 'name',
    cell: ({ vendor, schema_version, network_id }) => (
      <span>
        {vendor} {schema_version}
        <span class="sub">network {network_id}</span>
      </span>
    ),
  },
  {
    label: 'Why',
    kind: 'plain',
    cell: ({ code, latest_reason }) => (
      <span class="cut">
        {latest_reason}
        <span class="sub">
          <code>{code}</code>
        </span>
      </span>
    ),
  },
  { label: 'Events', kind: 'number', cell: ({ events }) => wholeText(events) },
  { label: 'Oldest', cell: ({ oldest_received_at }) => <Ago at={oldest_received_at} /> },
  { label: 'Newest', cell: ({ newest_received_at }) => <Ago at={newest_received_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (reason) => (
      <div class="buttons">
        <Button
          size="small"
          aria-label={`Retry ${reason.vendor} ${reason.schema_version}`}
          onClick={() => choose(reason)}
        >
          Retry
        </Button>
      </div>
    ),
  },
];

interface ReasonsProps {
  readonly reasons: readonly Reason[];
  readonly done: () => void;
}

export const Reasons = ({ reasons, done }: ReasonsProps) => {
  const [chosen, setChosen] = useState<Reason>();
  const retry = async ({ network_id: network, vendor, schema_version }: Reason) => {
    await ops.POST('/ops/v1/quarantine/retry', { body: { network, vendor, schema_version } });
    tell('good', 'They are tried again; those that fit leave the quarantine in a moment.');
    done();
  };
  return (
    <>
      <Table
        caption="Events in quarantine by reason"
        columns={columns(setChosen)}
        rows={reasons}
        keyOf={({ network_id, vendor, schema_version, code }) => `${network_id} ${vendor} ${schema_version} ${code}`}
      />
      {chosen && (
        <Dialog
          title={`Retry ${chosen.vendor} ${chosen.schema_version}?`}
          action="Retry"
          close={() => setChosen(undefined)}
          act={() => retry(chosen)}
        >
          <p>
            {counted(chosen.events, 'event')} and whatever else waits of this schema are tried with the mapping as it
            is. A new version of the mapping does so by itself; this is for after an update of the service.
          </p>
        </Dialog>
      )}
    </>
  );
};
