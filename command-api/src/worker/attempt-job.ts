import { createHash, type Hash } from 'node:crypto';
import { maxBulkJobWarnings } from '@popsvc/contracts/bulk';
import { BulkIngestStarted } from '@popsvc/contracts/events';
import { delimiterOf, type MultiLineRows, uploadObjectKey } from '@popsvc/domain/bulk';
import type { EventStore } from '@popsvc/platform/event-store';
import { ObjectNotFound, type ObjectStore } from '@popsvc/platform/object-storage';
import type { ClaimedJob } from '@popsvc/platform/postgres';
import { type FileRowBatch, readRows } from '@popsvc/platform/row-readers';
import type { FairTurns } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import type { RegistryCache } from '../registry/registry-cache.ts';
import { ingestFile } from './ingest-file.ts';
import { createInterruptedEvent, createJobEvent, createJobLog, createStoreRetry, type LoggedJob } from './job-log.ts';
import { chooseColumns, createDefectCheck, findMapping } from './mapping.ts';
import type { WorkerMetrics } from './metrics.ts';
import type { ProjectionBackpressure } from './projection-backpressure.ts';
import { createRowAppender, readStoredEnds } from './row-appender.ts';
import { chunkRows, createRowsEventFactory } from './rows.ts';

export interface JobDependencies {
  readonly store: EventStore;
  readonly objects: ObjectStore;
  /** Unique among running processes. */
  readonly owner: string;
  readonly registryCache: Pick<RegistryCache, 'registry'>;
  readonly turns: FairTurns<number>;
  readonly backpressure: ProjectionBackpressure;
  readonly metrics: WorkerMetrics;
  readonly log: Log;
}

/** `stopped`: this process is stopping, or another process may have claimed the job. */
export type JobOutcome = 'ended' | 'stopped';

/** Consecutive attempts without recorded progress after which a job ends. */
const maxIdleAttempts = 5;

export const attemptJob = async (
  { store, objects, registryCache, owner, turns, backpressure, metrics, log }: JobDependencies,
  known: LoggedJob,
  claim: Pick<ClaimedJob, 'isHeld'>,
  signal: AbortSignal,
): Promise<JobOutcome> => {
  const { job } = known;
  const { jobId, fileId, format } = job.queued;
  const objectKey = job.queued.objectKey ?? uploadObjectKey(job.network, fileId);
  const isStopping = () => signal.aborted || !claim.isHeld();
  const retry = createStoreRetry(isStopping, log);
  const jobLog = createJobLog(store, known, retry);
  const { processedRows, errorRows } = job;
  const counts = { processedRows, errorRows };

  if (known.idleAttempts >= maxIdleAttempts) {
    const reason = `${maxIdleAttempts} attempts in a row stored no rows.`;
    await jobLog.append(createInterruptedEvent({ jobId, attempt: job.attempt }, counts, reason));
    return 'ended';
  }

  const sha256 = await hashObject(objects, objectKey, signal);
  const { schemaVersion, metadata } = job.queued;
  // All attempts use the mapping of the first one.
  const mapping = await findMapping(store, { vendor: job.vendor, schemaVersion, version: job.mappingVersion });
  const attemptKey = { jobId, attempt: job.attempt + 1 };
  const started = createJobEvent(BulkIngestStarted, {
    ...attemptKey,
    worker: owner,
    mappingVersion: mapping?.version ?? null,
    sha256: sha256 ?? '',
  });
  const fault = findFileFault(job, sha256);
  if (fault !== undefined) {
    await jobLog.append(started, createInterruptedEvent(attemptKey, counts, fault));
    return 'ended';
  }
  await jobLog.append(started);

  const contentHash = createHash('sha256');
  // Aborting the read would fail the attempt, but a stopped attempt must finish its appends.
  const reading = new AbortController();
  const content = hashWhileReading(await objects.read(objectKey, reading.signal), contentHash);
  const columns = chooseColumns(metadata, mapping);
  const multiLineRows = createMultiLineRowFinder();
  const rows = multiLineRows.watch(readRows(content, { format, columns, delimiter: delimiterOf(job.queued) }));
  const from = { toRow: job.toRow, nextRevision: job.nextRevision, bytesRead: job.bytesRead, ...counts };
  const rules = {
    storedEnds: await retry(() => readStoredEnds(store, job, job.nextRevision)),
    toEvent: createRowsEventFactory(known),
    findDefect: createDefectCheck(known, mapping, registryCache.registry),
  };
  try {
    const isFinished = await ingestFile({
      chunks: chunkRows(rows, from, rules),
      from,
      takeTurn: async () => {
        // A waiting job must not occupy a turn.
        await backpressure.waitForProjection(job.network, isStopping);
        return turns.take(job.network);
      },
      appendRows: createRowAppender(store, job, retry, (stored) => backpressure.recordAppend(stored)),
      jobLog,
      attemptKey,
      isStopping,
      countRows: (good, bad) => metrics.countRows(good, bad),
      log,
      findMultiLineRows: multiLineRows.found,
      findFault: () =>
        contentHash.copy().digest('hex') === sha256 ? undefined : 'The file changed while it was read.',
    });
    return isFinished ? 'ended' : 'stopped';
  } finally {
    reading.abort();
  }
};

const findFileFault = ({ queued, sha256 }: LoggedJob['job'], foundSha256: string | undefined): string | undefined => {
  if (foundSha256 === undefined) return 'The file is gone.';
  const expectedSha256 = sha256 ?? queued.sha256 ?? foundSha256;
  return foundSha256 === expectedSha256
    ? undefined
    : `The stored file is damaged or was replaced: its SHA-256 is ${foundSha256}, and that of the uploaded file was ${expectedSha256}. Upload it again.`;
};

export async function* hashWhileReading(
  chunks: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

const hashObject = async (
  objects: ObjectStore,
  objectKey: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const hash = createHash('sha256');
  try {
    for await (const chunk of await objects.read(objectKey, signal)) hash.update(chunk as Uint8Array);
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
  return hash.digest('hex');
};

export interface MultiLineRowFinder {
  /** Includes rows that an earlier attempt stored, because every attempt reads the file from its start. */
  readonly watch: (batches: AsyncIterable<FileRowBatch>) => AsyncIterable<FileRowBatch>;
  readonly found: () => MultiLineRows | undefined;
}

const createMultiLineRowFinder = (): MultiLineRowFinder => {
  const first: { row: number; fromLine: number; toLine: number }[] = [];
  let count = 0;
  return {
    async *watch(batches) {
      for await (const batch of batches) {
        for (const row of batch.rows)
          if ('lines' in row) {
            count += 1;
            const { from: fromLine, to: toLine } = row.lines;
            if (first.length < maxBulkJobWarnings) first.push({ row: row.row, fromLine, toLine });
          }
        yield batch;
      }
    },
    found: () => (count === 0 ? undefined : { count, first }),
  };
};
