import { randomUUID } from 'node:crypto';
import { probeStream, registryStream, streamPrefixes } from '@popsvc/contracts/events';
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
import { ensureSchema } from '@popsvc/read-models/generations';
import { sharedClickHouse, startInProcessEventStore, sharedPostgres, type TestClickHouse } from './engines.ts';
import { type MakeReadModels, createReadModels } from './test-read-models.ts';
import { type EventSource, createEventAppender, type EventAppender } from './append-events.ts';

const log = createLog('test', 'silent');

/** Batches as asked for of what is in the log; when that was read, nothing more comes that the last one could wait for. */
export const backlogBatchLimits = (limits: BatchLimits = liveBatchLimits): BatchLimits => ({
  catchUpAgeMs: limits.ageMs,
  ...limits,
  ageMs: Math.min(limits.ageMs, 10),
});
const prepare = async (url: string) => {
  const postgres = openPostgres({ url, log, name: 'test' });
  await migrate(postgres);
  await postgres.end();
};

export interface TestSystem extends EventAppender {
  readonly node: Awaited<ReturnType<typeof startInProcessEventStore>>;
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  /** Applies a registry file as the operator does; the events are told at `at`. */
  register(file: unknown): Promise<void>;
  append(stream: string, type: string, data: unknown, from?: EventSource): Promise<bigint>;
  /** Events of one request, in one append. */
  appendAll(stream: string, events: readonly { type: string; data: unknown }[], from?: EventSource): Promise<bigint>;
  /** Runs the projections of the system until all that is in the log for them is written; those that would read probes alone are left out. */
  project(limits?: BatchLimits): Promise<void>;
  /** The same for one projection, with other parts: for faults. */
  projectOne(name: string, parts?: Partial<RunnerDependencies>): Promise<void>;
  readonly parts: RunnerDependencies;
  /** Where its engines are, as the services read it. */
  readonly env: Readonly<Record<string, string>>;
  rows(dataset: Dataset): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Which streams somebody wrote to, probes aside. */
const streamsAfter = async (
  { store, projections }: { readonly store: EventStore; readonly projections: readonly Projection[] },
  after: bigint,
  upTo: bigint,
): Promise<readonly string[]> => {
  const read = new Set(projections.flatMap((projection) => projection.streams));
  const prefixes = [...read].filter((prefix) => prefix !== streamPrefixes.probe);
  const streams = new Set<string>();
  const { signal } = new AbortController();
  for await (const told of store.subscribe({ after, prefixes, upTo, signal }))
    if (told.kind === 'event') streams.add(told.event.stream);
    else break;
  return [...streams];
};

export interface TestSystemOptions {
  /** A ClickHouse of the test's own. */
  readonly engine?: TestClickHouse | undefined;
  /** The projections that the test is about; their tables alone are there. Default all. */
  readonly of?: readonly string[];
  /** Default new ones. */
  readonly readModels?: MakeReadModels;
}

/** The log, the projections and the read models on real engines, without HTTP. */
export const startTestSystem = async ({
  engine: given,
  of,
  readModels = createReadModels,
}: TestSystemOptions = {}): Promise<TestSystem> => {
  const projections = allProjections.filter(({ name }) => of?.includes(name) ?? true);
  const [engine, server, node] = await Promise.all([
    given ?? sharedClickHouse(),
    sharedPostgres(),
    startInProcessEventStore(),
  ]);
  const generations = projections.map((projection) => ({ projection, generation: 1 }));
  const [url, databaseUrl] = await Promise.all([
    readModels(engine, (making) => ensureSchema(making, generations)),
    server.freshDatabase(prepare),
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
  };
  const probe = () =>
    append(probeStream('test'), 'ProbeEmitted', { service: 'test', emittedAt: new Date().toISOString() });
  const run = (projection: Projection, upTo: bigint, more: Partial<RunnerDependencies> = {}) => {
    const stop = new AbortController();
    const onBatch = (_: unknown, batch: { upTo: bigint }) => {
      if (batch.upTo >= upTo) stop.abort();
    };
    return runProjection(
      { ...parts, ...more, limits: backlogBatchLimits(more.limits), onBatch },
      projection,
      1,
      stop.signal,
    );
  };
  /** A disk that others keep busy makes an insert wait past its patience; the next life goes on, as it would in the service. */
  const runWithRetry = (projection: Projection, upTo: bigint, more?: Partial<RunnerDependencies>) =>
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
    async project(given) {
      const upTo = await probe();
      const streams =
        projectedTo === undefined ? undefined : await streamsAfter({ store, projections }, projectedTo, upTo);
      for (const projection of projections)
        if (!streams || streams.some((stream) => projection.streams.some((prefix) => stream.startsWith(prefix))))
          await runWithRetry(projection, upTo, given && { limits: given });
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
