import { createReadStream } from 'node:fs';
import {
  chunkRows,
  hashWhileReading,
  createDefectCheck,
  findMapping,
  readJob,
  createProjectionBackpressure,
  createRowsEventFactory,
  createWorkerMetrics,
  maxConcurrentAppends,
  runJob,
} from '@popsvc/command-api/worker';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { createHash } from 'node:crypto';
import { emptyRegistry } from '@popsvc/domain/registry';
import { openEventStore } from '@popsvc/platform/event-store';
import { openDiskObjectStore } from '@popsvc/platform/object-storage';
import { readRows } from '@popsvc/platform/row-readers';
import { createFairTurns } from '@popsvc/platform/runtime';
import { createMetrics } from '@popsvc/platform/telemetry';
import type { Work } from '../harness/process-usage.ts';
import { silentLog } from './engines.ts';
import { readTimes } from '../traffic/bulk-file.ts';
import { network } from '../traffic/network.ts';
import { serveRequests } from '../harness/worker.ts';

export type BulkWorkerRequest =
  | { readonly step: 'open'; readonly storeUrl: string; readonly dir: string }
  | { readonly step: 'rows'; readonly path: string; readonly format: BulkFormat }
  | { readonly step: 'chunks'; readonly path: string; readonly format: BulkFormat; readonly jobId: string }
  | { readonly step: 'job'; readonly jobId: string };

const open = async ({ storeUrl, dir }: BulkWorkerRequest & { step: 'open' }) => ({
  store: openEventStore({ url: storeUrl }),
  objects: await openDiskObjectStore(dir),
  owner: 'bench',
  turns: createFairTurns(maxConcurrentAppends),
  // Nothing projects.
  backpressure: createProjectionBackpressure(() => Promise.resolve(new Map())),
  registryCache: { registry: emptyRegistry() },
  metrics: createWorkerMetrics(createMetrics('bench')),
  log: silentLog,
});
let workerDependencies: ReturnType<typeof open> | undefined;

const hashedRows = (path: string, format: BulkFormat) =>
  readRows(hashWhileReading(createReadStream(path, { highWaterMark: 262_144 }), createHash('sha256')), { format });

const countRows = async (path: string, format: BulkFormat): Promise<number> => {
  let count = 0;
  for await (const { rows } of hashedRows(path, format)) count += rows.length;
  return count;
};

const start = { toRow: 0, nextRevision: 0, bytesRead: 0, processedRows: 0, errorRows: 0 };

/** Runs every step of a job except the appends. Resolves with the number of rows. */
const countChunks = async (path: string, format: BulkFormat, jobId: string): Promise<number> => {
  const { store, registryCache } = await workerDependencies!;
  const known = (await readJob(store, jobId))!;
  const { vendor, queued } = known.job;
  const mapping = await findMapping(store, { vendor, schemaVersion: queued.schemaVersion });
  const rowChecks = {
    toEvent: createRowsEventFactory(known),
    findDefect: createDefectCheck(known, mapping, registryCache.registry),
    storedEnds: [],
  };
  let count = 0;
  for await (const { progress } of chunkRows(hashedRows(path, format), start, rowChecks))
    count = progress.processedRows;
  return count;
};

/** Nothing else claims the job. */
const release = () => Promise.resolve();

const wholeJob = async (jobId: string): Promise<number> => {
  const dependencies = await workerDependencies!;
  const claim = { jobId, network, sizeBytes: 0, claims: 1, isHeld: () => true, release, remove: release };
  await runJob(dependencies, claim, new AbortController().signal);
  const { job } = (await readJob(dependencies.store, jobId))!;
  if (job.status !== 'completed')
    throw new Error(`the job is ${job.status}: ${job.reason ?? job.errors[0]?.error ?? ''}`);
  return job.processedRows;
};

/** For each request, runs one step of the bulk worker in this process. */
serveRequests(async (request: BulkWorkerRequest): Promise<Work> => {
  const began = performance.now();
  let units = 0;
  if (request.step === 'open') await (workerDependencies = open(request));
  else if (request.step === 'rows')
    // The file is read several times, because one pass takes less time than a tick of the CPU clock.
    for (let time = 0; time < readTimes; time += 1) units += await countRows(request.path, request.format);
  else if (request.step === 'chunks') units = await countChunks(request.path, request.format, request.jobId);
  else units = await wholeJob(request.jobId);
  return { units, wallMs: performance.now() - began };
});
