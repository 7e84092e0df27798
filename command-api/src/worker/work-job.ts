import { hasEnded } from '@popsvc/domain/bulk';
import { holdLease } from '@popsvc/platform/postgres';
import { type SpanOptions, runInSpan } from '@popsvc/platform/telemetry';
import { attemptJob } from './attempt-job.ts';
import { type JobInLog, readJob } from './job-in-log.ts';
import type { JobParts, Outcome } from './job-parts.ts';

export const leaseOf = (jobId: string) => ({ projection: `bulk-job ${jobId}`, generation: 0 });

const jobSpan = ({ queued, network, attempt }: JobInLog['job']): SpanOptions => ({
  name: 'bulk job',
  kind: 'work',
  parent: 'new',
  attributes: { 'popsvc.job_id': queued.jobId, 'popsvc.network': network, 'popsvc.attempt': attempt + 1 },
});

/** Does what is left of a job, unless somebody else does. Throws what keeps it from going on for now, and Fenced. */
export const workJob = async (parts: JobParts, jobId: string, signal: AbortSignal): Promise<Outcome> => {
  const { store, leases, owner, log } = parts;
  const known = await readJob(store, jobId);
  if (!known) log.warn({ jobId }, 'the log knows no such job');
  if (!known || hasEnded(known.job)) return 'ended';
  const lease = await holdLease(leases, leaseOf(jobId), owner);
  if (!lease) return 'busy';
  let outcome: Outcome | undefined;
  try {
    // Somebody else may have gone on with it until now.
    const current = (await readJob(store, jobId))!;
    outcome = hasEnded(current.job)
      ? 'ended'
      : await runInSpan(
          () => jobSpan(current.job),
          () => attemptJob(parts, current, lease, signal),
        );
    return outcome;
  } finally {
    await (outcome === 'ended' ? lease.remove() : lease.release());
  }
};
