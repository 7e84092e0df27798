import { instantOf } from '@popsvc/contracts/time';
import type { Job } from '@popsvc/domain/bulk';
import type { JobFound } from './jobs.query.ts';

interface Progress {
  readonly bytes: number;
  readonly of: number;
  readonly whole: boolean;
}

/** One decimal; 100 only for a file that was read to its end. */
const percent = ({ bytes, of, whole }: Progress): number => {
  if (whole) return 100;
  return of === 0 ? 0 : Math.min(99.9, Math.floor((1_000 * bytes) / of) / 10);
};

const isWhole = (status: string) => status === 'completed' || status === 'partially_completed';
const instantOrNull = (ms: number | undefined): string | null => (ms ? instantOf(ms) : null);

/** A job as a list shows it. */
export const toldJob = ({ queued_ms, began_ms, ended_ms, reason, position: _, ...job }: JobFound) => ({
  ...job,
  progress_percent: percent({ bytes: job.bytes_read, of: job.size_bytes, whole: isWhole(job.status) }),
  queued_at: instantOrNull(queued_ms),
  began_at: instantOrNull(began_ms),
  ended_at: instantOrNull(ended_ms),
  reason: reason || null,
});

/** A job as its stream tells it: what a list shows, and the rest. `queuedMs`: when it was queued. */
export const toldWhole = (job: Job, queuedMs: number) => {
  const { queued, status, totalRows, attempt, reason, bytesRead, startedAtMs, completedAtMs } = job;
  return {
    ...toldJob({
      job_id: queued.jobId,
      status,
      network_id: job.network,
      vendor: job.vendor,
      file_name: queued.fileName,
      format: queued.format,
      schema_version: queued.schemaVersion,
      size_bytes: queued.sizeBytes,
      bytes_read: bytesRead,
      processed_rows: job.processedRows,
      error_rows: job.errorRows,
      total_rows: totalRows ?? null,
      attempt,
      reason: reason ?? '',
      queued_ms: queuedMs,
      began_ms: attempt > 0 ? startedAtMs : 0,
      ended_ms: completedAtMs ?? 0,
      position: '',
    }),
    file_id: queued.fileId,
    key_id: job.keyId ?? null,
    metadata: queued.metadata ?? null,
    mapping_version: job.mappingVersion ?? null,
    sha256: job.sha256 ?? queued.sha256,
    errors: job.errors,
  };
};
