import type { ShownJob } from '../api/shapes.ts';
import { wholeText } from '../parts/numbers.ts';
import { type Column, Table } from '../parts/table.tsx';

type BadRow = ShownJob['errors'][number];

const columns: readonly Column<BadRow>[] = [
  { label: 'Row', kind: 'key', cell: ({ row }) => `Row ${wholeText(row)}` },
  { label: 'What is wrong with it', kind: 'plain', cell: ({ error }) => error },
];

const shown = 100;

/** `all`: where every bad row can be had as a file. */
export const BadRows = ({ job, all }: { readonly job: ShownJob; readonly all: string }) => {
  if (job.error_rows === 0) return null;
  const rows = job.errors.slice(0, shown);
  return (
    <>
      <div class="view-head">
        <div>
          <h2>Bad rows</h2>
          {rows.length < job.error_rows && (
            <p>
              The first {wholeText(rows.length)} of {wholeText(job.error_rows)}
            </p>
          )}
        </div>
        <a class="button" href={all} download={`${job.file_name}.errors.ndjson`}>
          Download all
        </a>
      </div>
      <Table caption="Bad rows" columns={columns} rows={rows} keyOf={({ row }) => row} />
    </>
  );
};
