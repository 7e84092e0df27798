import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type Api, dataOf, present } from '../http/api.ts';
import type { Clock, Transport } from '../http/transport.ts';
import type { BulkJob, CommandPaths } from '../types.ts';
import { pushInit, type PushWish } from './recording.ts';

export interface UploadWish extends PushWish {
  readonly format: 'ndjson' | 'json' | 'csv';
  /** Default: that of the file. */
  readonly fileName?: string | undefined;
}

export interface IngestWish extends PushWish {
  readonly schemaVersion: string;
  /** Kept with the job; `header: false` says that a CSV has no header row. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface WaitWish {
  readonly signal?: AbortSignal | undefined;
  /** Told of every state that is seen on the way. */
  readonly onPoll?: ((job: BulkJob) => void) | undefined;
}

export interface BulkParts {
  readonly api: () => Api<CommandPaths>;
  /** For signed addresses: no credential goes along. */
  readonly upload: Transport;
  readonly clock: Clock;
}

const [firstPollMs, longestPollMs] = [500, 5_000];
const isOver = ({ status }: BulkJob): boolean => status !== 'queued' && status !== 'processing';
const never = new AbortController().signal;

/** Files in the vendor's own schema: upload, start, wait. */
export const bulk = ({ api, upload, clock }: BulkParts) => {
  const bulkJob = async (jobId: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<BulkJob> => {
    const init = { params: { path: { jobId } }, ...(signal && { signal }) };
    return dataOf(await api().GET('/popsvc/v1/pop/dynamic/bulk/jobs/{jobId}', init));
  };

  /** Uploads a file from disk as it is read; resolves with its id. An upload that breaks off begins again. */
  const uploadFile = async (path: string, { format, fileName, ...wish }: UploadWish): Promise<string> => {
    await stat(path);
    const body = { fileName: fileName ?? basename(path), format };
    const told = dataOf(await api().POST('/popsvc/v1/pop/dynamic/bulk/upload-url', { body, ...pushInit(wish) }));
    if (!('uploadUrl' in told)) throw new Error(told.message);
    await upload({
      url: told.uploadUrl,
      method: 'PUT',
      headers: new Headers({ 'content-type': told.contentType }),
      body: () => Readable.toWeb(createReadStream(path)) as ReadableStream,
      signal: wish.signal ?? never,
    });
    return told.fileId;
  };

  /** Has an uploaded file ingested; resolves with the id of the job. The same file again is the same job. */
  const startIngest = async (fileId: string, { schemaVersion, metadata, ...wish }: IngestWish): Promise<string> => {
    const body = { fileId, schemaVersion, ...present({ metadata }) };
    const told = dataOf(await api().POST('/popsvc/v1/pop/dynamic/bulk/ingest', { body, ...pushInit(wish) }));
    if (!('jobId' in told)) throw new Error(told.message);
    return told.jobId;
  };

  /** Asks until the job is over, whatever its end; the signal says how long to wait. */
  const waitForJob = async (jobId: string, { signal = never, onPoll }: WaitWish = {}): Promise<BulkJob> => {
    for (let pollMs = firstPollMs; ; pollMs = Math.min(longestPollMs, pollMs * 1.5)) {
      const job = await bulkJob(jobId, { signal });
      onPoll?.(job);
      if (isOver(job)) return job;
      await clock.sleep(pollMs, signal);
    }
  };

  /** All of it: uploads, starts, waits. */
  const ingestFile = async (path: string, wish: UploadWish & IngestWish & WaitWish): Promise<BulkJob> => {
    const { signal } = wish;
    const fileId = await uploadFile(path, { format: wish.format, fileName: wish.fileName, signal });
    const jobId = await startIngest(fileId, { schemaVersion: wish.schemaVersion, metadata: wish.metadata, signal });
    return waitForJob(jobId, { signal, onPoll: wish.onPoll });
  };
  return { uploadFile, startIngest, bulkJob, waitForJob, ingestFile };
};
