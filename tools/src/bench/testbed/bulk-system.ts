import { createReadStream } from 'node:fs';
import {
  chunkRows,
  hashWhileReading,
  createDefectCheck,
  findMapping,
  readJob,
  createRowEventFactory,
  createWorkerMetrics,
  runJob,
} from '@popsvc/command-api/worker';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { createHash } from 'node:crypto';
import { emptyRegistry } from '@popsvc/domain/registry';
import { openEventStore } from '@popsvc/platform/event-store';
import { openDiskObjectStore } from '@popsvc/platform/object-storage';
import { createLeaseStore, openPostgres } from '@popsvc/platform/postgres';
import { readRows } from '@popsvc/platform/row-readers';
import { createMetrics } from '@popsvc/platform/telemetry';
import type { Work } from '../harness/processes.ts';
import { quiet } from './records.ts';
import { readTimes } from '../traffic/bulk-file.ts';
import { handleRequests } from '../harness/child-process.ts';

export type BulkStep =
  | { readonly step: 'open'; readonly storeUrl: string; readonly databaseUrl: string; readonly dir: string }
  | { readonly step: 'rows'; readonly path: string; readonly format: BulkFormat }
  | { readonly step: 'chunks'; readonly path: string; readonly format: BulkFormat; readonly jobId: string }
  | { readonly step: 'job'; readonly jobId: string };

const open = async ({ storeUrl, databaseUrl, dir }: BulkStep & { step: 'open' }) => ({
  store: openEventStore({ url: storeUrl }),
  objects: await openDiskObjectStore(dir),
  leases: createLeaseStore(openPostgres({ url: databaseUrl, log: quiet, name: 'bench' })),
  owner: 'bench',
  registryCache: { registry: emptyRegistry() },
  metrics: createWorkerMetrics(createMetrics('bench')),
  log: quiet,
});
let opened: ReturnType<typeof open> | undefined;

const hashedRows = (path: string, format: BulkFormat) =>
  readRows(hashWhileReading(createReadStream(path, { highWaterMark: 262_144 }), createHash('sha256')), { format });

const countRows = async (path: string, format: BulkFormat): Promise<number> => {
  let count = 0;
  for await (const { rows } of hashedRows(path, format)) count += rows.length;
  return count;
};

const start = { toRow: 0, nextRevision: 0, bytesRead: 0, processedRows: 0, errorRows: 0 };

/** All that the worker does but append. */
const countChunks = async (path: string, format: BulkFormat, jobId: string): Promise<number> => {
  const { store, registryCache } = await opened!;
  const known = (await readJob(store, jobId))!;
  const mapping = await findMapping(store, known.job);
  const judge = {
    toEvent: createRowEventFactory(known),
    findDefect: createDefectCheck(known, mapping, registryCache.registry),
  };
  let count = 0;
  for await (const { events } of chunkRows(hashedRows(path, format), start, judge)) count += events.length;
  return count;
};

const wholeJob = async (jobId: string): Promise<number> => {
  const parts = await opened!;
  await runJob(parts, jobId, new AbortController().signal);
  const { job } = (await readJob(parts.store, jobId))!;
  if (job.status !== 'completed')
    throw new Error(`the job is ${job.status}: ${job.reason ?? job.errors[0]?.error ?? ''}`);
  return job.processedRows;
};

/** The parts of the bulk worker, in a process of their own. */
handleRequests(async (asked: BulkStep): Promise<Work> => {
  const began = performance.now();
  let units = 0;
  if (asked.step === 'open') await (opened = open(asked));
  else if (asked.step === 'rows')
    // A file is read in less time than the clock of a process can tell apart.
    for (let time = 0; time < readTimes; time += 1) units += await countRows(asked.path, asked.format);
  else if (asked.step === 'chunks') units = await countChunks(asked.path, asked.format, asked.jobId);
  else units = await wholeJob(asked.jobId);
  return { units, wallMs: performance.now() - began };
});
