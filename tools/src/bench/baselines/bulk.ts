import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { bulkRowsStream, DynamicPlaysRecorded } from '@popsvc/contracts/events';
import { parse } from 'csv-parse';
import type { Work } from '../harness/process-usage.ts';
import { serveRequests } from '../harness/worker.ts';
import { bulkRow, readTimes } from '../traffic/bulk-file.ts';

export type BulkBaselineRequest =
  | { readonly baseline: 'parse'; readonly path: string; readonly format: BulkFormat }
  | { readonly baseline: 'append'; readonly url: string; readonly rows: number };

/** Reads a file in chunks. For each chunk, yields the lines that end in it; an unfinished line is kept for the next chunk. */
async function* textLines(path: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${chunk as string}`.split('\n');
    rest = lines.pop()!;
    yield lines;
  }
  if (rest !== '') yield [rest];
}

const endOfString = (bytes: Buffer, from: number): number => {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
  return at;
};

const parsers: Readonly<Record<BulkFormat, (path: string) => Promise<number>>> = {
  async ndjson(path) {
    let rows = 0;
    for await (const lines of textLines(path)) for (const line of lines) rows += Number(JSON.parse(line) !== null);
    return rows;
  },
  async json(path) {
    let rows = 0;
    let rest = Buffer.alloc(0);
    for await (const chunk of createReadStream(path)) {
      const bytes = Buffer.concat([rest, chunk as Buffer]);
      let [depth, start] = [0, 0];
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at];
        if (byte === 0x22) at = endOfString(bytes, at);
        else if (byte === 0x7b && (depth += 1) === 1) start = at;
        else if (byte === 0x7d && (depth -= 1) === 0) {
          rows += Number(JSON.parse(bytes.toString('utf8', start, at + 1)) !== null);
          start = at + 1;
        }
      }
      rest = bytes.subarray(start);
    }
    return rows;
  },
  async csv(path) {
    let rows = 0;
    for await (const row of createReadStream(path).pipe(parse({ columns: true }))) rows += Number(row !== null);
    return rows;
  },
};

/** Number of rows in an event, and in an append: as many as fit into the limit of an event. */
const perAppend = 800;
const maxPending = 3;
let client: EventStoreDBClient | undefined;

/**
 * Appends the events of a bulk job directly through the event store client. Uses the same batch size and order as the worker,
 * with at most `maxPending` appends in flight.
 */
const append = async (url: string, rows: number): Promise<number> => {
  const log = (client ??= EventStoreDBClient.connectionString(url));
  const jobId = randomUUID();
  const stream = bulkRowsStream(1, jobId);
  const metadata = {
    schemaVersion: DynamicPlaysRecorded.version,
    receivedAt: new Date().toISOString(),
    network: 1,
    vendor: 'bench',
    keyId: randomUUID(),
    correlationId: jobId,
    causationId: randomUUID(),
  };
  const pending: Promise<unknown>[] = [];
  for (let first = 0; first < rows; first += perAppend) {
    const numbers = Array.from({ length: Math.min(perAppend, rows - first) }, (_, at) => first + at + 1);
    const data = { schemaVersion: 'bench-1', items: numbers.map(bulkRow), bulk: { jobId, rows: numbers } };
    const event = jsonEvent({ id: randomUUID(), type: DynamicPlaysRecorded.type, data, metadata });
    const expectedRevision = first === 0 ? NO_STREAM : BigInt(first / perAppend - 1);
    pending.push(log.appendToStream(stream, event, { expectedRevision }));
    // Waits for the first append, because a client that is still connecting does not preserve the order of appends.
    if (first === 0 || pending.length >= maxPending) await pending.shift();
  }
  await Promise.all(pending);
  return rows;
};

serveRequests(async (request: BulkBaselineRequest): Promise<Work> => {
  const began = performance.now();
  let units = 0;
  if (request.baseline === 'append') units = await append(request.url, request.rows);
  else for (let time = 0; time < readTimes; time += 1) units += await parsers[request.format](request.path);
  return { units, wallMs: performance.now() - began };
});
