import { setTimeout as sleep } from 'node:timers/promises';
import { createBulkClient } from '../../rig/clients.ts';
import { serveRequests } from '../harness/worker.ts';
import { bulkRow, schemaVersion } from './bulk-file.ts';
import { denseTenant } from './network.ts';

/** A tenant whose data costs the service much, with the address of command-api. */
interface Sender {
  readonly url: string;
  readonly apiKey: string;
}

export type TenantLoad =
  | (Sender & { readonly kind: 'files'; readonly files: number; readonly rows: number; readonly firstRow: number })
  | (Sender & { readonly kind: 'dense'; readonly size: number; readonly atMs: number });

const blockRows = 1_000;

async function* fileContent(first: number, rows: number): AsyncGenerator<Uint8Array> {
  for (let at = first; at < first + rows; at += blockRows) {
    const block = Array.from({ length: Math.min(blockRows, first + rows - at) }, (_, index) => bulkRow(at + index));
    yield await Promise.resolve(Buffer.from(`${block.map((row) => JSON.stringify(row)).join('\n')}\n`));
  }
}

/** Uploads files of different plays at the same time. Resolves when their jobs have ended. */
const ingestFiles = async ({ url, apiKey, files, rows, firstRow }: TenantLoad & { kind: 'files' }): Promise<void> => {
  const client = createBulkClient(url, apiKey);
  const ingest = async (file: number) => {
    const body = fileContent(firstRow + file * rows, rows);
    const job = await client.ingest({ format: 'ndjson', body, schemaVersion }, 1_800_000, undefined, 1_000);
    if (job.status !== 'completed') throw new Error(`a bulk job is ${job.status}: ${JSON.stringify(job.errors)}`);
  };
  await Promise.all(Array.from({ length: files }, (_, file) => ingest(file)));
};

const requests = 6;
const durationMs = 10_000;

/**
 * Sends as many plays as detections of one screen and minute, in 12 requests. Each lasts 10 s, and they are spread over 50 s, so more than
 * a third of their pairs overlap. Resolves when they are accepted.
 */
const sendDense = async ({ url, apiKey, size, atMs }: TenantLoad & { kind: 'dense' }): Promise<void> => {
  const post = async (path: string, body: object) => {
    for (;;) {
      const response = await fetch(`${url}/popsvc/v1/${path}`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.status === 202) return;
      if (response.status !== 503) throw new Error(`${path} returned ${response.status}: ${text.slice(0, 1_000)}`);
      await sleep(1_000);
    }
  };
  for (let request = 0; request < requests; request += 1) {
    const items = Array.from({ length: size / requests }, (_, at) => {
      const index = (request * size) / requests + at;
      const startMs = atMs + Math.floor((index * 50_000) / size);
      return { id: `dense-${atMs}-${index}`, index, from: new Date(startMs).toISOString(), startMs };
    });
    await post('pop/events', {
      events: items.map(({ id, from }) => ({
        eventId: id,
        screenId: denseTenant.screen,
        campaignId: 'C-0',
        creativeId: 'CR-0',
        playedAt: from,
        durationMs,
      })),
    });
    await post('audience/detections', {
      detections: items.map(({ id, index, from, startMs }) => ({
        detectionId: id,
        deviceId: denseTenant.device,
        watcherId: index,
        startedAt: from,
        endedAt: new Date(startMs + durationMs).toISOString(),
        watches: [],
      })),
    });
  }
};

serveRequests((load: TenantLoad) => (load.kind === 'files' ? ingestFiles(load) : sendDense(load)));
