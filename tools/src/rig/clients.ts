import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@popsvc/client';
import type { BulkFormat, BulkJob } from '@popsvc/contracts/bulk';
import type { DemoCredentials } from './service-process.ts';

/**
 * Returns an instance of the client library and two functions that send plain HTTP requests with the same API key: `push` to an
 * intake endpoint, `read` to a reporting endpoint.
 */
export const createTestPartner = ({
  query_base_url,
  ingest_base_url,
  api_key,
}: Pick<DemoCredentials, 'query_base_url' | 'ingest_base_url' | 'api_key'>) => {
  const key = { 'x-api-key': api_key };
  const push = (path: string, body: unknown) =>
    fetch(`${ingest_base_url}/popsvc/v1${path}`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const read = (path: string, headers: Record<string, string> = key) =>
    fetch(`${query_base_url}/api/v1${path}`, { headers });
  const client = createClient({ baseUrl: query_base_url, ingestUrl: ingest_base_url, apiKey: api_key });
  return { push, read, client };
};

/** Polls until the value meets the condition and resolves with that value. After the timeout, throws an error with the last value. */
export const waitUntil = async <T>(
  poll: () => Promise<T>,
  isMet: (value: T) => boolean,
  timeoutMs = 60_000,
  intervalMs = 50,
): Promise<T> => {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await poll();
    if (isMet(value)) return value;
    if (Date.now() > deadline)
      throw new Error(`condition not met after ${timeoutMs} ms; last value: ${JSON.stringify(value).slice(0, 500)}`);
    await sleep(intervalMs);
  }
};

export interface BulkUpload {
  readonly format: BulkFormat;
  readonly body: string | Buffer | AsyncIterable<Uint8Array>;
  readonly schemaVersion?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const hasEnded = ({ status }: BulkJob) => status !== 'queued' && status !== 'processing';

/** Creates an HTTP client for bulk files: it requests an upload URL, uploads the file, starts the job and polls it. */
export const createBulkClient = (baseUrl: string, apiKey: string) => {
  const request = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${baseUrl}/popsvc/v1/pop/dynamic/bulk${path}`, {
      method,
      headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  const job = (jobId: string) => request('GET', `/jobs/${jobId}`) as Promise<BulkJob>;
  const requestUpload = (format: BulkFormat) =>
    request('POST', '/upload-url', { fileName: `plays.${format}`, format }) as Promise<{
      readonly uploadUrl: string;
      readonly fileId: string;
      readonly contentType: string;
    }>;
  const start = async ({ format, body, schemaVersion = 'flat-1', metadata }: BulkUpload): Promise<string> => {
    const target = await requestUpload(format);
    const isStream = typeof body !== 'string' && !Buffer.isBuffer(body);
    const put = await fetch(target.uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': target.contentType },
      body: isStream ? (Readable.toWeb(Readable.from(body)) as ReadableStream) : body,
      ...(isStream && { duplex: 'half' as const }),
    });
    if (!put.ok) throw new Error(`the upload returned ${put.status}: ${await put.text()}`);
    const { jobId } = (await request('POST', '/ingest', { fileId: target.fileId, schemaVersion, metadata })) as {
      jobId: string;
    };
    return jobId;
  };
  return {
    job,
    requestUpload,
    start,
    /** Uploads a file and resolves with its job once the job has ended. `onPoll` receives every polled state. */
    async ingest(
      upload: BulkUpload,
      timeoutMs = 60_000,
      onPoll: (seen: BulkJob) => void = () => undefined,
      intervalMs?: number,
    ) {
      const jobId = await start(upload);
      const poll = async () => {
        const polled = await job(jobId);
        onPoll(polled);
        return polled;
      };
      return waitUntil(poll, hasEnded, timeoutMs, intervalMs);
    },
  };
};

export const popsvcBin = fileURLToPath(new URL('../../../cli/bin/popsvc.js', import.meta.url));

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Popsvc = (...args: readonly string[]) => Promise<CommandResult>;

/**
 * Returns a function that runs the CLI in a separate process. DATA_DIR names a folder that does not exist, so the CLI finds a service
 * only through `env`.
 */
export const createPopsvcCommand =
  (env: Readonly<Record<string, string>>, cwd?: string): Popsvc =>
  (...args) =>
    new Promise((resolve) => {
      const environment = { PATH: process.env['PATH'], DATA_DIR: '/nowhere', ...env };
      execFile(
        process.execPath,
        [popsvcBin, ...args],
        { env: environment, maxBuffer: 1e8, cwd },
        (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
      );
    });

const lineEnd = 0x0a;

/**
 * Counts the line ends in a chunk of a download. It works on bytes, because a whole download may exceed the maximum length of a string.
 */
export const countLineEnds = (chunk: Uint8Array): number => {
  let lines = 0;
  for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines += 1;
  return lines;
};
