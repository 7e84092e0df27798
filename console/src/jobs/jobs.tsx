import { ops, responseData } from '../api/client.ts';
import type { ListedJob } from '../api/types.ts';
import { Select } from '../components/controls.tsx';
import { Meter } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { formatBytes, formatPercent, formatWhole } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo, route, updateFilters } from '../state/route.ts';
import { JobStatus, jobStatusOptions, progressTone } from './job-status.tsx';

const columns: readonly Column<ListedJob>[] = [
  {
    label: 'File',
    kind: 'name',
    cell: ({ job_id, file_name, size_bytes, format }) => (
      <TwoLines sub={`${format}, ${formatBytes(size_bytes)}`}>
        <a href={hrefTo('jobs', job_id)}>{file_name}</a>
      </TwoLines>
    ),
  },
  { label: 'Status', cell: ({ status }) => <JobStatus status={status} /> },
  {
    label: 'Progress',
    cell: ({ status, progress_percent, file_name }) => (
      <div style={{ minWidth: '110px' }}>
        <span class="sub">{formatPercent(progress_percent / 100)}</span>
        <Meter label={`Progress of ${file_name}`} share={progress_percent / 100} tone={progressTone(status)} />
      </div>
    ),
  },
  { label: 'Rows', kind: 'number', cell: ({ processed_rows }) => formatWhole(processed_rows) },
  { label: 'Bad rows', kind: 'number', cell: ({ error_rows }) => formatWhole(error_rows) },
  { label: 'Vendor', cell: ({ vendor, network_id }) => `${vendor}, network ${network_id}` },
  { label: 'Queued', cell: ({ queued_at }) => <Ago at={queued_at} /> },
];

export const Jobs = () => {
  const status = route.value.query.get('status') ?? '';
  const jobPage = useResource(
    `jobs ${status}`,
    (signal) => {
      const query = { limit: 100, ...(status !== '' && { status: status as ListedJob['status'] }) };
      return responseData(ops.GET('/ops/v1/jobs', { params: { query }, signal }));
    },
    { everyMs: 3_000 },
  );
  return (
    <section class="view">
      <ViewHeader title="Bulk jobs" about="Files that vendors uploaded, newest first." />
      <div class="filters">
        <Select
          label="Status"
          value={status}
          options={[['', 'All'], ...jobStatusOptions]}
          onSelect={(value) => updateFilters({ status: value })}
        />
      </div>
      <Loaded resource={jobPage}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <EmptyState icon="jobs" title={status === '' ? 'No bulk jobs yet' : 'No job has this status'}>
              {status === ''
                ? 'When a vendor uploads a file and starts a job for it, its progress is shown here.'
                : 'Select another status to see more.'}
            </EmptyState>
          ) : (
            <Table caption="Bulk jobs" columns={columns} rows={jobs} keyOf={({ job_id }) => job_id} />
          )
        }
      </Loaded>
    </section>
  );
};
