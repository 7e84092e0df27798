import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BulkIngestCompleted, BulkIngestStarted, type EventDefinition } from '@popsvc/contracts/events';
import { expect } from 'chai';
import type { TestCommandApi } from './command-api.fixture.ts';
import type { ReplyBody, Sender } from './sender.fixture.ts';

export const uploadUrlPath = '/popsvc/v1/pop/dynamic/bulk/upload-url';
export const ingestPath = '/popsvc/v1/pop/dynamic/bulk/ingest';
const jobsPath = '/popsvc/v1/pop/dynamic/bulk/jobs';

export const ndjson = 'application/x-ndjson';
export const rows = '{"a":1}\n{"a":2}\n';

export interface Address {
  readonly uploadUrl: string;
  readonly fileId: string;
  readonly contentType: string;
  readonly uploadInstructions: string;
}

/** Requests an upload URL, by default for an ndjson file. */
export const addressFor = async (send: Sender, over: object = {}): Promise<Address> => {
  const { status, body } = await send(uploadUrlPath, { fileName: 'plays.ndjson', format: 'ndjson', ...over });
  expect(status, body.message).to.equal(200);
  return body as ReplyBody & Address;
};

export interface Uploaded {
  readonly status: number;
  readonly body: ReplyBody & { readonly fileId?: string; readonly sizeBytes?: number; readonly sha256?: string };
}

export const upload = async (
  url: string,
  content: string | Buffer = rows,
  headers: Readonly<Record<string, string>> = { 'Content-Type': ndjson },
  method = 'PUT',
): Promise<Uploaded> => {
  const response = await fetch(url, { method, body: content, headers });
  return { status: response.status, body: (await response.json()) as Uploaded['body'] };
};

/** Requests an upload URL and uploads a file to it. */
export const uploaded = async (send: Sender, content: string | Buffer = rows): Promise<Address> => {
  const address = await addressFor(send);
  expect((await upload(address.uploadUrl, content)).status).to.equal(200);
  return address;
};

export const ingest = (send: Sender, fileId: string, schemaVersion = 'flat-1', over: object = {}) =>
  send(ingestPath, { fileId, schemaVersion, ...over });

export const jobOf = (send: Sender, jobId: string) => send(`${jobsPath}/${jobId}`, '', { method: 'GET' });

/** Every file in the folder, unfinished ones included. */
export const filesIn = (dir: string): readonly string[] =>
  readdirSync(join(dir, 'uploads'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, 'uploads/').length));

const after = async (
  { store }: TestCommandApi,
  jobId: string,
  { type, version, example }: EventDefinition,
  data: object,
) => {
  const receivedAt = new Date().toISOString();
  const metadata = { schemaVersion: version, receivedAt, network: 1, vendor: 'acme' };
  const event = { id: crypto.randomUUID(), type, data: { ...(example as object), jobId, ...data }, metadata };
  await store.append(`bulkJob-${jobId}`, [event]);
};

/** Appends the events that a worker appends to a job's stream. */
export const started = (api: TestCommandApi, jobId: string) => after(api, jobId, BulkIngestStarted, { attempt: 1 });
export const completed = (api: TestCommandApi, jobId: string, totalRows = 2) =>
  after(api, jobId, BulkIngestCompleted, { attempt: 1, totalRows, processedRows: totalRows, errorRows: 0 });
