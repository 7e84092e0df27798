import type { ComponentChildren } from 'preact';
import { base, dataOf, ops } from '../api/ops.ts';
import type { ShownJob } from '../api/shapes.ts';
import { Meter } from '../parts/meter.tsx';
import { bytesText, durationText, percentText, wholeText } from '../parts/numbers.ts';
import { Answer } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { addressOf } from '../state/place.ts';
import { useAsked } from '../state/use-asked.ts';
import { BadRows } from './bad-rows.tsx';
import { StatusOfJob, toneOfJob } from './status-of-job.tsx';

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children ?? '–'}</dd>
  </div>
);

const at = (instant: string | null) => (instant === null ? '–' : <Time at={instant} />);

const lasted = ({ began_at, ended_at }: ShownJob): string =>
  began_at === null || ended_at === null ? '–' : durationText((Date.parse(ended_at) - Date.parse(began_at)) / 1_000);

const Facts = ({ job }: { readonly job: ShownJob }) => (
  <dl class="facts">
    <Fact name="Vendor">
      {job.vendor}, network {job.network_id}
    </Fact>
    <Fact name="Schema">
      {job.schema_version}
      {job.mapping_version !== null && `, mapping version ${job.mapping_version}`}
    </Fact>
    <Fact name="File">
      {job.format}, {bytesText(job.size_bytes)}
    </Fact>
    <Fact name="Attempts">{job.attempt}</Fact>
    <Fact name="Queued">{at(job.queued_at)}</Fact>
    <Fact name="Began">{at(job.began_at)}</Fact>
    <Fact name="Ended">{at(job.ended_at)}</Fact>
    <Fact name="Took">{lasted(job)}</Fact>
    <Fact name="File id">
      <code>{job.file_id}</code>
    </Fact>
    <Fact name="SHA-256">{job.sha256 && <code>{job.sha256}</code>}</Fact>
  </dl>
);

/** One file: how far it is read, and its bad rows. */
export const Job = ({ id }: { readonly id: string }) => {
  const asked = useAsked(
    `job ${id}`,
    (signal) => dataOf(ops.GET('/ops/v1/jobs/{id}', { params: { path: { id } }, signal })),
    { everyMs: 3_000 },
  );
  return (
    <section class="view">
      <ViewHead
        title={asked.data?.file_name ?? 'Bulk job'}
        about={<code>{id}</code>}
        back={[addressOf('jobs'), 'Bulk jobs']}
      >
        {asked.data && <StatusOfJob status={asked.data.status} />}
      </ViewHead>
      <Answer asked={asked}>
        {(job) => (
          <>
            {job.reason !== null && (
              <div class="wrong">
                <div>{job.reason}</div>
              </div>
            )}
            <div class="card">
              <Meter label="Progress" share={job.progress_percent / 100} tone={toneOfJob(job.status)} />
              <p class="card-head">
                <span>
                  {wholeText(job.processed_rows)} rows read in, {wholeText(job.error_rows)} bad
                  {job.total_rows !== null && `, of ${wholeText(job.total_rows)}`}
                </span>
                <span class="muted">
                  {bytesText(job.bytes_read)} of {bytesText(job.size_bytes)}, {percentText(job.progress_percent / 100)}
                </span>
              </p>
              <Facts job={job} />
            </div>
            <BadRows job={job} all={`${base}/ops/v1/jobs/${encodeURIComponent(id)}/errors`} />
          </>
        )}
      </Answer>
    </section>
  );
};
