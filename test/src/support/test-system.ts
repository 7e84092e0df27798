import { randomUUID } from 'node:crypto';
import { probeStream, registryStream, streamPrefixes } from '@popsvc/contracts/events';
import { wholeProjection } from '@popsvc/domain/partitioning';
import type { Dataset } from '@popsvc/read-models/datasets';
import { RegistryFile } from '@popsvc/contracts/registry';
import { emptyRegistry, foldRegistry, planRegistry } from '@popsvc/domain/registry';
import { type EventStore, type NewEvent, openEventStore } from '@popsvc/platform/event-store';
import {
  openClickHouseReader,
  openClickHouseWriter,
  type ClickHouseReader,
  Sql,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import {
  createCheckpointStore,
  createLeaseStore,
  migrate,
  openPostgres,
  type Postgres,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import {
  type BatchLimits,
  liveBatchLimits,
  type Projection,
  runProjection,
  type RunnerDependencies,
} from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema, markRunVerified } from '@popsvc/read-models/generations';
import { sharedClickHouse, startInProcessEventStore, sharedPostgres, type TestClickHouse } from './engines.ts';
import { type MakeReadModels, createReadModels } from './test-read-models.ts';
import { type EventSource, createEventAppender, type EventAppender } from './append-events.ts';
import { encryptionKey } from './test-sealer.ts';

const log = createLog('test', 'silent');

/** Limits for projecting a finished log: full batches as given, and 10 ms instead of the usual wait for more events at its end. */
export const backlogBatchLimits = (limits: BatchLimits = liveBatchLimits): BatchLimits => ({
  catchUpAgeMs: limits.ageMs,
  ...limits,
  ageMs: Math.min(limits.ageMs, 10),
});
const prepare = async (url: string) => {
  const postgres = openPostgres({ url, log, name: 'test' });
  try {
    await migrate(postgres);
  } finally {
    await postgres.end();
  }
};

export interface TestSystem extends EventAppender {
  readonly node: Awaited<ReturnType<typeof startInProcessEventStore>>;
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  /** Applies a registry file as the operator does. */
  register(file: unknown): Promise<void>;
  append(stream: string, type: string, data: unknown, from?: EventSource): Promise<bigint>;
  /** Appends the events of one request in one append. */
  appendAll(stream: string, events: readonly { type: string; data: unknown }[], from?: EventSource): Promise<bigint>;
  /** Runs the projections until they have written all events of the log, and the ranges that batches put off. Skips projections for which nothing was appended since the last call. */
  project(limits?: BatchLimits, generationsOf?: (projection: string) => readonly number[]): Promise<void>;
  /** Runs one projection, with other dependencies, for example ones that fail. */
  projectOne(name: string, parts?: Partial<RunnerDependencies>): Promise<void>;
  readonly parts: RunnerDependencies;
  /** Environment variables with the addresses of the engines, as the services read them. */
  readonly env: Readonly<Record<string, string>>;
  rows(dataset: Dataset): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Returns the streams with events in a range of positions, except probes. */
const streamsAfter = async (
  { store, projections }: { readonly store: EventStore; readonly projections: readonly Projection[] },
  after: bigint,
  upTo: bigint,
): Promise<readonly string[]> => {
  const read = new Set(projections.flatMap((projection) => projection.streams));
  const prefixes = [...read].filter((prefix) => prefix !== streamPrefixes.probe);
  const streams = new Set<string>();
  const { signal } = new AbortController();
  for await (const message of store.subscribe({ after, prefixes, upTo, signal }))
    if (message.kind === 'event') streams.add(message.event.stream);
    else break;
  return [...streams];
};

/** No process appends probes in these tests, however long a batch or the derivation of pending ranges takes. */
const noSilenceTimeout = { catchUpMs: 3_600_000, liveMs: 3_600_000 };

export interface TestSystemOptions {
  /** Default the ClickHouse server that all suites share. */
  readonly engine?: TestClickHouse | undefined;
  /** Names of the projections to run and to create tables for. Default all. */
  readonly of?: readonly string[];
  /** Default a new database. */
  readonly readModels?: MakeReadModels;
  /** Default a new event store in this process. */
  readonly node?: TestSystem['node'];
  /** An empty PostgreSQL database. Default a new one on the server that all suites share. */
  readonly databaseUrl?: string;
}

/** Starts an event log, the projections and their read models on real engines, without the HTTP services. */
export const startTestSystem = async ({
  engine: given,
  of,
  readModels = createReadModels,
  node: givenNode,
  databaseUrl: givenUrl,
}: TestSystemOptions = {}): Promise<TestSystem> => {
  const projections = allProjections.filter(({ name }) => of?.includes(name) ?? true);
  const [engine, node] = await Promise.all([given ?? sharedClickHouse(), givenNode ?? startInProcessEventStore()]);
  const generations = projections.map((projection) => ({ projection, generation: 1 }));
  const [url, databaseUrl] = await Promise.all([
    readModels(engine, async (making) => {
      await ensureSchema(making, generations);
      await markRunVerified(making);
    }),
    givenUrl === undefined ? (await sharedPostgres()).freshDatabase(prepare) : prepare(givenUrl).then(() => givenUrl),
  ]);
  const writer = openClickHouseWriter({ url, ...engine.writer });
  const reader = openClickHouseReader({ url, ...engine.reader });
  const postgres = openPostgres({ url: databaseUrl, log, name: 'test' });
  const store = openEventStore({ url: node.url });
  const registry = emptyRegistry();

  const appendAll: TestSystem['appendAll'] = async (
    stream,
    events,
    { network = 1, vendor = 'acme', receivedAt } = {},
  ) => {
    const metadata = { schemaVersion: 1, receivedAt: receivedAt ?? new Date().toISOString(), network, vendor };
    const logged = events.map(({ type, data }): NewEvent => ({ id: randomUUID(), type, data, metadata }));
    return (await store.append(stream, logged)).position;
  };
  const append: TestSystem['append'] = (stream, type, data, from) => appendAll(stream, [{ type, data }], from);

  const parts: RunnerDependencies = {
    store,
    writer,
    postgres,
    checkpoints: createCheckpointStore(postgres),
    leases: createLeaseStore(postgres),
    log,
    owner: 'test',
    silenceTimeout: noSilenceTimeout,
  };
  const probe = () =>
    append(probeStream('test'), 'ProbeEmitted', { service: 'test', emittedAt: new Date().toISOString() });
  const run = (
    projection: Projection,
    upTo: bigint,
    { generation = 1, ...more }: Partial<RunnerDependencies> & { readonly generation?: number } = {},
  ) => {
    const stop = new AbortController();
    let isReached = false;
    const onUnit = (_: unknown, pendingNetworks: number) => {
      // The ranges of networks that have no budget left stay pending.
      if (isReached && pendingNetworks <= (more.rowBudget?.(Date.now())?.exhausted().length ?? 0)) stop.abort();
    };
    const onBatch: RunnerDependencies['onBatch'] = (which, batch, _, pendingNetworks) => {
      isReached = batch.upTo >= upTo;
      onUnit(which, pendingNetworks);
    };
    return runProjection(
      { ...parts, onUnit, ...more, limits: backlogBatchLimits(more.limits), onBatch },
      { projection, generation, partition: wholeProjection },
      stop.signal,
    );
  };
  /** Retries once after a timeout: on a busy disk an insert may exceed it. The projection resumes from its checkpoint, as in the service. */
  const runWithRetry = (projection: Projection, upTo: bigint, more: Parameters<typeof run>[2]) =>
    run(projection, upTo, more).catch((error: unknown) => {
      if (!/aborted/.test(String(error))) throw error;
      return run(projection, upTo, more);
    });

  let projectedTo: bigint | undefined;
  return {
    node,
    store,
    writer,
    reader,
    postgres,
    append,
    appendAll,
    async register(file) {
      const nowMs = Date.now();
      const { changes } = planRegistry(registry, RegistryFile.parse(file), { nowMs, restate: true });
      for (const { kind, key, type, data } of changes) {
        const position = await append(registryStream(kind, key), type, data);
        foldRegistry(registry, { type, data, atMs: nowMs, position });
      }
    },
    ...createEventAppender(append),
    async project(given, generationsOf = () => [1]) {
      const upTo = await probe();
      const streams =
        projectedTo === undefined ? undefined : await streamsAfter({ store, projections }, projectedTo, upTo);
      for (const projection of projections)
        if (!streams || streams.some((stream) => projection.streams.some((prefix) => stream.startsWith(prefix))))
          for (const generation of generationsOf(projection.name))
            await runWithRetry(projection, upTo, { generation, ...(given && { limits: given }) });
      projectedTo = upTo;
    },
    async projectOne(name, more) {
      await run(
        projections.find((projection) => projection.name === name)!,
        await probe(),
        more,
      );
    },
    parts,
    env: {
      EVENTSTORE_URL: node.url,
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: engine.writer.username,
      CLICKHOUSE_PASSWORD: engine.writer.password,
      DATABASE_URL: databaseUrl,
      POPSVC_ENCRYPTION_KEY: encryptionKey,
    },
    async rows({ table, columns }) {
      const select = columns.map(({ name, sql }) => `${sql} AS ${name}`).join(', ');
      const query = `SELECT ${select} FROM ${table.name}_live ORDER BY network_id, ts, number`;
      return reader.rows(new Sql([query], []));
    },
    async close() {
      await Promise.allSettled([store.close(), writer.close(), reader.close(), postgres.end(), node.stop()]);
    },
  };
};
