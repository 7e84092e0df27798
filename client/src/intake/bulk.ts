import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type Api, dataOf, omitUndefined } from '../http/api.ts';
import type { Clock, Transport } from '../http/transport.ts';
import type { paths as CommandPaths } from '../generated/command-api.ts';
import type { BulkFormat, BulkJob, BulkWarning } from '../types.ts';
import { pushInit, type PushOptions } from './recording.ts';

export interface UploadOptions extends PushOptions {
  readonly format: BulkFormat;
  /** Defaults to the name of the file. */
  readonly fileName?: string | undefined;
  /**
   * How the file on disk is compressed; default: not at all. The service decompresses the file. Upload URLs of an S3 bucket do not support
   * compressed files.
   */
  readonly contentEncoding?: 'gzip' | 'zstd' | undefined;
}

export interface IngestOptions extends PushOptions {
  readonly schemaVersion: string;
  /**
   * Any key-value pairs, which are stored with the job. For a CSV file, the service reads two of them: `header` (false if there is no
   * header row) and `delimiter` (`,`, `;` or a tab; by default detected from the header row, or a comma without a header row).
   */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Called if the service has warnings about the file, such as columns that the mapping reads and the file does not have. */
  readonly onWarnings?: ((warnings: readonly BulkWarning[]) => void) | undefined;
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each poll with the current state of the job. */
  readonly onPoll?: ((job: BulkJob) => void) | undefined;
}

/** Without `idempotencyKey`: a program that may restart keeps the file id of `uploadFile`, and passes it to `startIngest`. */
export type IngestFileOptions = Omit<UploadOptions & IngestOptions & WaitOptions, 'idempotencyKey'>;

export interface BulkDependencies {
  readonly api: () => Api<CommandPaths>;
  /** A transport without a credential, for signed URLs. */
  readonly upload: Transport;
  readonly clock: Clock;
}

const [firstPollMs, longestPollMs] = [500, 5_000];
const hasEnded = ({ status }: BulkJob): boolean => status !== 'queued' && status !== 'processing';
const neverAborted = new AbortController().signal;

/** A bulk file contains plays in the schema of the vendor. */
export const createBulk = ({ api, upload, clock }: BulkDependencies) => {
  const bulkJob = async (jobId: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<BulkJob> => {
    const init = { params: { path: { jobId } }, ...(signal && { signal }) };
    return dataOf(await api().GET('/popsvc/v1/pop/dynamic/bulk/jobs/{jobId}', init));
  };

  /**
   * Streams a file from disk to an upload URL of the service. Resolves with the file id. An interrupted upload is repeated from the
   * beginning.
   */
  const uploadFile = async (
    path: string,
    { format, fileName, contentEncoding, ...options }: UploadOptions,
  ): Promise<string> => {
    const { size } = await stat(path);
    const body = { fileName: fileName ?? basename(path), format };
    const result = dataOf(await api().POST('/popsvc/v1/pop/dynamic/bulk/upload-url', { body, ...pushInit(options) }));
    if (!('uploadUrl' in result)) throw new Error(result.message);
    await upload({
      url: result.uploadUrl,
      method: 'PUT',
      headers: new Headers({
        'content-type': result.contentType,
        // Without the content length, fetch would send the stream in chunks, which S3 refuses.
        'content-length': String(size),
        ...(contentEncoding && { 'content-encoding': contentEncoding }),
      }),
      body: () => Readable.toWeb(createReadStream(path)) as ReadableStream,
      signal: options.signal ?? neverAborted,
    });
    return result.fileId;
  };

  /**
   * Starts ingesting an uploaded file and resolves with the job id. If a job was already started for this file, resolves with the
   * id of that job.
   */
  const startIngest = async (
    fileId: string,
    { schemaVersion, metadata, onWarnings, ...options }: IngestOptions,
  ): Promise<string> => {
    const body = { fileId, schemaVersion, ...omitUndefined({ metadata }) };
    const result = dataOf(await api().POST('/popsvc/v1/pop/dynamic/bulk/ingest', { body, ...pushInit(options) }));
    if (!('jobId' in result)) throw new Error(result.message);
    if (result.warnings) onWarnings?.(result.warnings);
    return result.jobId;
  };

  /** Polls a job until it has ended, successfully or not. Abort the signal to stop waiting. */
  const waitForJob = async (jobId: string, { signal = neverAborted, onPoll }: WaitOptions = {}): Promise<BulkJob> => {
    for (let pollMs = firstPollMs; ; pollMs = Math.min(longestPollMs, pollMs * 1.5)) {
      const job = await bulkJob(jobId, { signal });
      onPoll?.(job);
      if (hasEnded(job)) return job;
      await clock.sleep(pollMs, signal);
    }
  };

  /** Uploads a file, starts its job and waits until the job has ended. A repeated call ingests the file again. */
  const ingestFile = async (path: string, options: IngestFileOptions): Promise<BulkJob> => {
    const fileId = await uploadFile(path, options);
    return waitForJob(await startIngest(fileId, options), options);
  };
  return { uploadFile, startIngest, bulkJob, waitForJob, ingestFile };
};
