import { ops, responseData } from '../api/client.ts';
import type { QuarantineReason } from '../api/types.ts';
import { type Column, Table } from '../components/table.tsx';
import { Loaded, NothingFound } from '../components/view.tsx';
import { Ago } from '../format/time.tsx';
import { reasonColumns } from '../parked/reason-columns.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo } from '../state/route.ts';

const columns: readonly Column<QuarantineReason>[] = [
  ...reasonColumns,
  { label: 'Newest', cell: ({ newest_received_at }) => <Ago at={newest_received_at} /> },
];

interface QuarantineReasonsProps {
  readonly filter: { readonly network?: number; readonly vendor?: string };
}

export const QuarantineReasons = ({ filter }: QuarantineReasonsProps) => {
  const quarantine = useResource(
    `quarantine reasons ${JSON.stringify(filter)}`,
    (signal) => responseData(ops.GET('/ops/v1/quarantine', { params: { query: { ...filter, limit: 1 } }, signal })),
    { everyMs: 30_000, resets: true },
  );
  return (
    <>
      <h2>
        Waiting in <a href={hrefTo('parked', '', { kind: 'quarantine' })}>quarantine</a>, by reason
      </h2>
      <Loaded resource={quarantine} lines={3}>
        {({ reasons }) =>
          reasons.length === 0 ? (
            <NothingFound tone="good">No event waits in quarantine.</NothingFound>
          ) : (
            <Table
              caption="Waiting in quarantine, by reason"
              columns={columns}
              rows={reasons}
              keyOf={({ network_id, vendor, schema_version, code }) =>
                `${network_id} ${vendor} ${schema_version} ${code}`
              }
            />
          )
        }
      </Loaded>
    </>
  );
};
