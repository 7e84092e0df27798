import { Readable } from 'node:stream';
import type { BulkFormat, BulkJob } from '@popsvc/contracts/bulk';
import { waitUntil } from './partner.ts';

export interface BulkUpload {
  readonly format: BulkFormat;
  readonly body: string | Buffer | AsyncIterable<Uint8Array>;
  readonly schemaVersion?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const isOver = ({ status }: BulkJob) => status !== 'queued' && status !== 'processing';

/** A vendor with files, over HTTP: address, upload, ingest, and polling. */
export const bulkClient = (baseUrl: string, apiKey: string) => {
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${baseUrl}/popsvc/v1/pop/dynamic/bulk${path}`, {
      method,
      headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const told = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${told}`);
    return JSON.parse(told);
  };
  const job = (jobId: string) => ask('GET', `/jobs/${jobId}`) as Promise<BulkJob>;
  const start = async ({ format, body, schemaVersion = 'flat-1', metadata }: BulkUpload): Promise<string> => {
    const target = (await ask('POST', '/upload-url', { fileName: `plays.${format}`, format })) as {
      uploadUrl: string;
      fileId: string;
      contentType: string;
    };
    const isStream = typeof body !== 'string' && !Buffer.isBuffer(body);
    const put = await fetch(target.uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': target.contentType },
      body: isStream ? (Readable.toWeb(Readable.from(body)) as ReadableStream) : body,
      ...(isStream && { duplex: 'half' as const }),
    });
    if (!put.ok) throw new Error(`the upload answered ${put.status}: ${await put.text()}`);
    const { jobId } = (await ask('POST', '/ingest', { fileId: target.fileId, schemaVersion, metadata })) as {
      jobId: string;
    };
    return jobId;
  };
  return {
    job,
    start,
    /** Until it is over; `onPoll` sees every answer on the way. */
    async ingest(upload: BulkUpload, patienceMs = 60_000, onPoll: (seen: BulkJob) => void = () => undefined) {
      const jobId = await start(upload);
      const polled = async () => {
        const seen = await job(jobId);
        onPoll(seen);
        return seen;
      };
      return waitUntil(polled, isOver, patienceMs);
    },
  };
};
