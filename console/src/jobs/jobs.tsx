import { dataOf, ops } from '../api/ops.ts';
import type { ListedJob } from '../api/shapes.ts';
import { Select } from '../parts/field.tsx';
import { Meter } from '../parts/meter.tsx';
import { bytesText, percentText, wholeText } from '../parts/numbers.ts';
import { Answer, Empty } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { addressOf, place, refine } from '../state/place.ts';
import { useAsked } from '../state/use-asked.ts';
import { StatusOfJob, toneOfJob, wordsOfJob } from './status-of-job.tsx';

const columns: readonly Column<ListedJob>[] = [
  {
    label: 'File',
    kind: 'name',
    cell: ({ job_id, file_name, size_bytes, format }) => (
      <span>
        <a href={addressOf('jobs', job_id)}>{file_name}</a>
        <span class="sub">
          {format}, {bytesText(size_bytes)}
        </span>
      </span>
    ),
  },
  { label: 'Status', cell: ({ status }) => <StatusOfJob status={status} /> },
  {
    label: 'Progress',
    cell: ({ status, progress_percent, file_name }) => (
      <div style={{ minWidth: '110px' }}>
        <span class="sub">{percentText(progress_percent / 100)}</span>
        <Meter label={`Progress of ${file_name}`} share={progress_percent / 100} tone={toneOfJob(status)} />
      </div>
    ),
  },
  { label: 'Rows', kind: 'number', cell: ({ processed_rows }) => wholeText(processed_rows) },
  { label: 'Bad rows', kind: 'number', cell: ({ error_rows }) => wholeText(error_rows) },
  { label: 'Vendor', cell: ({ vendor, network_id }) => `${vendor}, network ${network_id}` },
  { label: 'Queued', cell: ({ queued_at }) => (queued_at === null ? '–' : <Ago at={queued_at} />) },
];

/** Files of vendors, and what became of their rows. */
export const Jobs = () => {
  const status = place.value.query.get('status') ?? '';
  const asked = useAsked(
    `jobs ${status}`,
    (signal) => {
      const query = { limit: 100, ...(status !== '' && { status: status as ListedJob['status'] }) };
      return dataOf(ops.GET('/ops/v1/jobs', { params: { query }, signal }));
    },
    { everyMs: 3_000 },
  );
  return (
    <section class="view">
      <ViewHead title="Bulk jobs" about="Files that vendors sent to be read in, the newest first." />
      <div class="filters">
        <Select
          label="Status"
          value={status}
          options={[['', 'All'], ...Object.entries(wordsOfJob)]}
          choose={(value) => refine({ status: value })}
        />
      </div>
      <Answer asked={asked}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <Empty icon="jobs" title={status === '' ? 'No files yet' : 'No job in this state'}>
              {status === ''
                ? 'When a vendor uploads a file and has it read in, its progress is shown here.'
                : 'Choose another status to see more.'}
            </Empty>
          ) : (
            <Table caption="Bulk jobs" columns={columns} rows={jobs} keyOf={({ job_id }) => job_id} />
          )
        }
      </Answer>
    </section>
  );
};
