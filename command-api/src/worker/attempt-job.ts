import { createHash } from 'node:crypto';
import { BulkIngestFailed, BulkIngestStarted } from '@popsvc/contracts/events';
import { uploadObjectKey } from '@popsvc/domain/bulk';
import type { HeldLease } from '@popsvc/platform/postgres';
import { readRows } from '@popsvc/platform/row-readers';
import { rowAppender } from './append-rows.ts';
import { chunkRows } from './chunk-rows.ts';
import { hashed, sha256Of } from './file-sha256.ts';
import { ingestFile } from './ingest-file.ts';
import { insistUntil } from './insist.ts';
import type { JobInLog } from './job-in-log.ts';
import { jobLog, told } from './job-log.ts';
import type { JobParts, Outcome } from './job-parts.ts';
import { columnsOf, judgeOf, mappingOf } from './judge-rows.ts';
import { rowEvents } from './row-events.ts';

/** After so many attempts in a row that came to nothing, a job is given up. */
const mostIdleAttempts = 5;

/** What is wrong with the file before a row of it is read. */
const faultOf = ({ queued, sha256 }: JobInLog['job'], found: string | undefined): string | undefined => {
  if (found === undefined) return 'The file is gone.';
  const wanted = sha256 ?? queued.sha256 ?? found;
  return found === wanted ? undefined : 'The file is not the one that was uploaded.';
};

/** What is left of a job, under its lease. */
export const attemptJob = async (
  { store, objects, mirror, owner, metrics, log }: JobParts,
  known: JobInLog,
  lease: HeldLease,
  signal: AbortSignal,
): Promise<Outcome> => {
  const { job } = known;
  const { jobId, fileId, format } = job.queued;
  const key = job.queued.objectKey ?? uploadObjectKey(job.network, fileId);
  const isStopping = () => signal.aborted || !lease.isHeld();
  const insist = insistUntil(isStopping, log);
  const inLog = jobLog(store, known, insist);
  const { processedRows, errorRows } = job;

  if (known.idleAttempts >= mostIdleAttempts) {
    const reason = `${mostIdleAttempts} attempts in a row came to nothing.`;
    const ended = { jobId, attempt: job.attempt, totalRows: null, processedRows, errorRows, reason };
    await inLog.tell(told(BulkIngestFailed, ended));
    return 'ended';
  }

  const sha256 = await sha256Of(objects, key, signal);
  const mapping = await mappingOf(store, job);
  const named = { jobId, attempt: job.attempt + 1 };
  const started = told(BulkIngestStarted, {
    ...named,
    worker: owner,
    mappingVersion: mapping?.version ?? null,
    sha256: sha256 ?? '',
  });
  const fault = faultOf(job, sha256);
  if (fault !== undefined) {
    const ended = { ...named, totalRows: null, processedRows, errorRows, reason: fault };
    await inLog.tell(started, told(BulkIngestFailed, ended));
    return 'ended';
  }
  await inLog.tell(started);

  const read = createHash('sha256');
  // Not by the signal: whoever stops finishes what is under way.
  const reading = new AbortController();
  const rows = readRows(hashed(await objects.read(key, reading.signal), read), {
    format,
    columns: columnsOf(job, mapping),
  });
  const from = { toRow: job.toRow, nextRevision: job.nextRevision, bytesRead: job.bytesRead, processedRows, errorRows };
  try {
    const finished = await ingestFile({
      chunks: chunkRows(rows, from, { toEvent: rowEvents(known), unfit: judgeOf(known, mapping, mirror.registry) }),
      from,
      append: rowAppender(store, jobId, insist),
      jobLog: inLog,
      named,
      isStopping,
      count: (good, bad) => metrics.rows(good, bad),
      log,
      fault: () => (read.copy().digest('hex') === sha256 ? undefined : 'The file changed while it was read.'),
    });
    return finished ? 'ended' : 'stopped';
  } finally {
    reading.abort();
  }
};
