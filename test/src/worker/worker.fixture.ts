import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  createProjectionBackpressure,
  createWorkerMetrics,
  type ProjectionBackpressure,
  runJob,
} from '@popsvc/command-api/worker';
import type { BulkFormat, CsvDelimiter } from '@popsvc/contracts/bulk';
import { BulkIngestQueued, bulkJobStream, bulkRowsStream, type DynamicPlaysRecorded } from '@popsvc/contracts/events';
import { foldJob, type Job, uploadObjectKey } from '@popsvc/domain/bulk';
import { emptyRegistry } from '@popsvc/domain/registry';
import { type EventStore, type LogEvent, openEventStore } from '@popsvc/platform/event-store';
import { openDiskObjectStore, type ReceivingObjectStore } from '@popsvc/platform/object-storage';
import {
  claimJob,
  openPostgres,
  type Postgres,
  readProjectedPositions,
  storeOpenJobs,
} from '@popsvc/platform/postgres';
import { createFairTurns } from '@popsvc/platform/runtime';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { freshRecordsUrl } from '../command-api/command-api.fixture.ts';
import { startTestEventStore, type TestEventStore } from '../support/engines.ts';
import { temporaryFolder } from '@popsvc/tools/rig';

const vendor = 'acme';
export const schemaVersion = 'flat-1';

export interface QueueOptions {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly maxAgeDays?: number;
  readonly delimiter?: CsvDelimiter;
  /** Recorded instead of the file's own values. */
  readonly sha256?: string | null;
  /** The network of the job; default 1. */
  readonly network?: number;
}

/** The dependencies of bulk jobs on real engines; jobs are queued without HTTP. */
export interface Workshop {
  readonly node: TestEventStore;
  readonly store: EventStore;
  readonly objects: ReceivingObjectStore;
  readonly databaseUrl: string;
  readonly postgres: Postgres;
  /** The folder of the object store. */
  readonly dataDir: string;
  queue(format: BulkFormat, file: string | Buffer | AsyncIterable<Uint8Array>, options?: QueueOptions): Promise<string>;
  /** `schemaVersion`: that of the event. */
  registerMapping(mapping: unknown, version?: number, schemaVersion?: number): Promise<void>;
  /** Claims the job and runs it in this process, as one attempt; `busy` if another worker has claimed it. */
  work(jobId: string, options?: WorkOptions): Promise<Awaited<ReturnType<typeof runJob>> | 'busy'>;
  job(jobId: string): Promise<Job>;
  events(stream: string): Promise<readonly LogEvent[]>;
  /** The stored rows of the file: `[row, event]`. */
  rows(jobId: string): Promise<readonly (readonly [number, unknown])[]>;
  close(): Promise<void>;
}

export interface WorkOptions {
  readonly owner?: string;
  readonly signal?: AbortSignal;
  /** Wrap the real stores. */
  readonly store?: EventStore;
  readonly objects?: ReceivingObjectStore;
  /** Instead of that of the projection, which does not run. */
  readonly backpressure?: ProjectionBackpressure;
}

async function* once(file: string | Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(file));
}

export const workshop = async (): Promise<Workshop> => {
  const log = createLog('test', process.env['TEST_LOG'] === '1' ? 'warn' : 'silent');
  const [node, databaseUrl, dataDir] = await Promise.all([
    startTestEventStore(),
    freshRecordsUrl(),
    temporaryFolder('worker'),
  ]);
  const store = openEventStore({ url: node.url });
  const postgres = openPostgres({ url: databaseUrl, log, name: 'test' });
  const objects = await openDiskObjectStore(join(dataDir, 'objects'));
  const metrics = createWorkerMetrics(createMetrics('worker'));
  const registryCache = { registry: emptyRegistry() };
  const metadata = (network = 1) => ({
    ...{ schemaVersion: 1, receivedAt: new Date().toISOString() },
    ...{ network, vendor, keyId: 'key-1' },
  });
  const events = async (stream: string) => {
    const found: LogEvent[] = [];
    for await (const event of store.readStream(stream)) found.push(event);
    return found;
  };
  return {
    node,
    store,
    objects,
    databaseUrl,
    postgres,
    dataDir: join(dataDir, 'objects'),
    events,
    async queue(format, file, { metadata: more, maxAgeDays, network = 1, ...overrides } = {}) {
      const [jobId, fileId] = [randomUUID(), randomUUID()];
      const content = typeof file === 'string' || Buffer.isBuffer(file) ? once(file) : file;
      const received = await objects.receive(uploadObjectKey(network, fileId), content, 2 ** 31);
      const queued: BulkIngestQueued = {
        jobId,
        fileId,
        fileName: `plays.${format}`,
        format,
        schemaVersion,
        ...received,
        ...overrides,
        ...(more && { metadata: more }),
        ...(maxAgeDays !== undefined && { maxAgeDays }),
      };
      const event = { id: randomUUID(), type: BulkIngestQueued.type, data: queued, metadata: metadata(network) };
      await store.append(bulkJobStream(jobId), [event], { expected: 'no_stream' });
      return jobId;
    },
    async registerMapping(mapping, version = 1, schemaVersion = 1) {
      const data = { network: 1, version, mapping };
      await store.append(`mapping-${vendor}`, [
        { id: randomUUID(), type: 'MappingRegistered', data, metadata: { ...metadata(), schemaVersion } },
      ]);
    },
    async work(jobId, { owner = randomUUID(), signal = new AbortController().signal, ...between } = {}) {
      await storeOpenJobs(postgres, [{ jobId, network: 1, sizeBytes: 0, position: 0n }], []);
      // Only this job is due.
      await postgres.query(
        `UPDATE open_jobs SET due_at = CASE WHEN job_id = $1 THEN now() ELSE 'infinity' END WHERE claimed_by IS NULL`,
        [jobId],
      );
      const jobClass = { minBytes: 0, maxBytes: Number.MAX_SAFE_INTEGER, total: 1, perNetwork: 1 };
      const claim = await claimJob(postgres, { owner, jobClass, running: [], served: [] });
      if (!claim) return 'busy';
      return runJob(
        {
          ...{ store, objects, owner, registryCache, metrics, log },
          turns: createFairTurns(3),
          backpressure: createProjectionBackpressure(() => readProjectedPositions(postgres)),
          ...between,
        },
        claim,
        signal,
      );
    },
    async job(jobId) {
      let job: Job | undefined;
      for (const event of await events(bulkJobStream(jobId))) job = foldJob(job, event);
      return job!;
    },
    rows: async (jobId) =>
      (await events(bulkRowsStream(1, jobId))).flatMap(({ data }) => {
        const { items, bulk } = data as DynamicPlaysRecorded;
        return items.map((item, index) => [bulk!.rows[index]!, item] as const);
      }),
    async close() {
      await Promise.allSettled([store.close(), objects.close(), postgres.end(), node.stop()]);
    },
  };
};

/** A play in the schema of `flatMapping`. */
export const flatRow = (number: number, more: Readonly<Record<string, unknown>> = {}) => ({
  id: `play-${number}`,
  screen: `screen-${number % 50}`,
  campaign: 'C-100',
  asset: `CR-${number % 7}`,
  start: new Date(Date.UTC(2026, 7, 20, 8) + number * 10_000).toISOString(),
  duration: 10,
  ...more,
});

export const flatMapping = {
  vendor,
  schema_version: schemaVersion,
  fields: {
    eventId: { path: 'id' },
    screenId: { path: 'screen' },
    campaignId: { path: 'campaign' },
    creativeId: { path: 'asset' },
    playedAt: { path: 'start', time: 'iso' },
    duration: { path: 'duration', unit: 's' },
  },
};

export const ndjsonOf = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
