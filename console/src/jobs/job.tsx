import { baseUrl, ops, responseData } from '../api/client.ts';
import type { ShownJob } from '../api/types.ts';
import { Meter } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Fact, Loaded, ViewHeader } from '../components/view.tsx';
import { formatBytes, formatDuration, formatPercent, formatWhole } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo } from '../state/route.ts';
import { JobStatus, progressTone } from './job-status.tsx';

interface JobProps {
  readonly job: ShownJob;
}

const Progress = ({ job }: JobProps) => {
  const share = job.progress_percent / 100;
  return (
    <>
      <Meter label="Progress" share={share} tone={progressTone(job.status)} />
      <p class="card-head">
        <span>
          Rows: {formatWhole(job.processed_rows)} processed
          {job.total_rows !== null && ` of ${formatWhole(job.total_rows)}`}, {formatWhole(job.error_rows)} bad
        </span>
        <span class="muted">
          {formatBytes(job.bytes_read)} of {formatBytes(job.size_bytes)}, {formatPercent(share)}
        </span>
      </p>
    </>
  );
};

const durationOf = ({ began_at, ended_at }: ShownJob): string =>
  began_at === null || ended_at === null ? '–' : formatDuration((Date.parse(ended_at) - Date.parse(began_at)) / 1_000);

const delimiterNames: Readonly<Record<NonNullable<ShownJob['delimiter']>, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
};

const Facts = ({ job }: JobProps) => (
  <dl class="facts">
    <Fact name="Vendor">
      {job.vendor}, network {job.network_id}
    </Fact>
    <Fact name="Schema">
      {job.schema_version}
      {job.mapping_version !== null && `, mapping version ${job.mapping_version}`}
    </Fact>
    <Fact name="File">
      {job.format}
      {job.delimiter !== null && ` delimited by ${delimiterNames[job.delimiter]}`}, {formatBytes(job.size_bytes)}
    </Fact>
    <Fact name="Attempts">{job.attempt}</Fact>
    <Fact name="Queued">
      <Time at={job.queued_at} />
    </Fact>
    <Fact name="Started">
      <Time at={job.began_at} />
    </Fact>
    <Fact name="Ended">
      <Time at={job.ended_at} />
    </Fact>
    <Fact name="Duration">{durationOf(job)}</Fact>
    <Fact name="File id">
      <code>{job.file_id}</code>
    </Fact>
    <Fact name="SHA-256">{job.sha256 && <code>{job.sha256}</code>}</Fact>
  </dl>
);

const warningColumns: readonly Column<ShownJob['warnings'][number]>[] = [
  { label: 'Row', kind: 'key', cell: ({ row }) => `Row ${formatWhole(row)}` },
  { label: 'Warning', kind: 'plain', cell: ({ message }) => message },
];

const badRowColumns: readonly Column<ShownJob['errors'][number]>[] = [
  { label: 'Row', kind: 'key', cell: ({ row }) => `Row ${formatWhole(row)}` },
  { label: 'Error', kind: 'plain', cell: ({ error }) => error },
];

/** A missing quote may have joined several rows into one with a quoted field over several lines. */
const Warnings = ({ job }: JobProps) =>
  job.warnings.length === 0 ? null : (
    <>
      <div class="view-header">
        <div>
          <h2>Warnings</h2>
          {job.warnings.length < job.warning_count && (
            <p>
              The first {formatWhole(job.warnings.length)} of {formatWhole(job.warning_count)}
            </p>
          )}
        </div>
      </div>
      <Table caption="Warnings" columns={warningColumns} rows={job.warnings} keyOf={({ row }) => row} />
    </>
  );

const maxBadRows = 100;

const BadRows = ({ job }: JobProps) => {
  if (job.error_rows === 0) return null;
  const rows = job.errors.slice(0, maxBadRows);
  return (
    <>
      <div class="view-header">
        <div>
          <h2>Bad rows</h2>
          {rows.length < job.error_rows && (
            <p>
              The first {formatWhole(rows.length)} of {formatWhole(job.error_rows)}
            </p>
          )}
        </div>
        <a
          class="button"
          href={`${baseUrl}/ops/v1/jobs/${encodeURIComponent(job.job_id)}/errors`}
          download={`${job.file_name}.errors.ndjson`}
        >
          Download all
        </a>
      </div>
      <Table caption="Bad rows" columns={badRowColumns} rows={rows} keyOf={({ row }) => row} />
    </>
  );
};

export const Job = ({ id }: { readonly id: string }) => {
  const shownJob = useResource(
    `job ${id}`,
    (signal) => responseData(ops.GET('/ops/v1/jobs/{id}', { params: { path: { id } }, signal })),
    { everyMs: 3_000 },
  );
  return (
    <section class="view">
      <ViewHeader
        title={shownJob.data?.file_name ?? 'Bulk job'}
        about={<code>{id}</code>}
        back={{ href: hrefTo('jobs'), title: 'Bulk jobs' }}
      >
        {shownJob.data && <JobStatus status={shownJob.data.status} />}
      </ViewHeader>
      <Loaded resource={shownJob}>
        {(job) => (
          <>
            {job.reason !== null && (
              <div class="error-box">
                <div>{job.reason}</div>
              </div>
            )}
            <div class="card">
              <Progress job={job} />
              <Facts job={job} />
            </div>
            <Warnings job={job} />
            <BadRows job={job} />
          </>
        )}
      </Loaded>
    </section>
  );
};
