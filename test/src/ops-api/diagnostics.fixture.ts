import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import { openEventStore } from '@popsvc/platform/event-store';
import {
  type ClickHouseReader,
  type ClickHouseWriter,
  openClickHouseReader,
  openClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import {
  registerProjection,
  migrate,
  openPostgres,
  type Postgres,
  writeProjectionStatuses,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { ensureAnalystViews, ensureSchema, markRunVerified } from '@popsvc/read-models/generations';
import { type Finding, findingTitle } from '@popsvc/contracts/diagnostics';
import { type DiagnosticsDependencies, runDiagnostics } from '@popsvc/ops-api/server';
import { allProjections } from '@popsvc/projectors/projections';
import { secretSealer } from '../support/test-sealer.ts';
import {
  sharedClickHouse,
  startTestEventStore,
  sharedPostgres,
  type TestClickHouse,
  type TestEventStore,
} from '../support/engines.ts';

const log = createLog('test', 'silent');
const prepare = async (url: string) => {
  const postgres = openPostgres({ url, log, name: 'test' });
  await migrate(postgres);
  await postgres.end();
};

/** Stores the status of every projection: running, and up to date. */
const reportAllRunning = (postgres: Postgres) =>
  writeProjectionStatuses(
    postgres,
    allProjections.map(({ name }) => ({
      projection: name,
      generation: 1,
      state: 'running',
      error: undefined,
      owner: 'test',
      asOfMs: Date.now(),
    })),
  );

/** The findings of the doctor by title. */
export type FindingsByTitle = Readonly<Record<string, Finding>>;

/** The stores of an idle service on real engines, and the doctor on them. */
export interface DiagnosedSystem extends DiagnosticsDependencies {
  readonly writer: ClickHouseWriter;
  readonly reader: ClickHouseReader;
  readonly node: TestEventStore;
  readonly engine: TestClickHouse;
  readonly clickhouseUrl: string;
  readonly databaseUrl: string;
  reportAllRunning(): Promise<void>;
  /** Appends a probe event that claims to have been emitted `agoMs` ago. */
  appendProbe(agoMs: number): Promise<void>;
  diagnose(overrides?: Partial<DiagnosticsDependencies>): Promise<FindingsByTitle>;
  close(): Promise<void>;
}

/** A check waits longer for its rows than a busy machine takes. */
const waitLonger = (writer: ClickHouseWriter): ClickHouseWriter => ({
  ...writer,
  rows: (statement, options) => writer.rows(statement, { ...options, timeoutMs: 60_000 }),
});

/** Dependencies with another writer and reader of the only shard. */
export const withOnlyShard = (
  writer: ClickHouseWriter,
  reader: ClickHouseReader,
): Pick<DiagnosticsDependencies, 'shards'> => ({
  shards: [{ writer, reader, declarations: allProjections }],
});

export const startDiagnosedSystem = async (): Promise<DiagnosedSystem> => {
  const [engine, server, node] = await Promise.all([sharedClickHouse(), sharedPostgres(), startTestEventStore()]);
  const clickhouseUrl = `${engine.url}/${await engine.database()}`;
  const databaseUrl = await server.freshDatabase(prepare);
  const writer = waitLonger(openClickHouseWriter({ url: clickhouseUrl, ...engine.writer }));
  const reader = openClickHouseReader({ url: clickhouseUrl, ...engine.writer });
  const postgres = openPostgres({ url: databaseUrl, log, name: 'test' });
  const store = openEventStore({ url: node.url });
  const live = allProjections.map((projection) => ({ projection, generation: 1 }));
  await ensureSchema(writer, live);
  await ensureAnalystViews(writer, live);
  await markRunVerified(writer);
  for (const { name, version } of allProjections) await registerProjection(postgres, name, version);
  await reportAllRunning(postgres);
  const dependencies: DiagnosticsDependencies = {
    store,
    ...withOnlyShard(writer, reader),
    postgres,
    secretSealer,
    listRunningProjections: () => [],
    requireSyncStandby: false,
    folders: [process.cwd()],
    services: [],
    checkTimeoutMs: 60_000,
  };
  return {
    ...dependencies,
    writer,
    reader,
    node,
    engine,
    clickhouseUrl,
    databaseUrl,
    reportAllRunning: () => reportAllRunning(postgres),
    async appendProbe(agoMs) {
      const emittedAt = new Date(Date.now() - agoMs).toISOString();
      await store.append(probeStream('projectors'), [
        {
          id: crypto.randomUUID(),
          type: ProbeEmitted.type,
          data: { service: 'projectors', emittedAt },
          metadata: { schemaVersion: 1, receivedAt: emittedAt },
        },
      ]);
    },
    async diagnose(overrides = {}) {
      const findings = await runDiagnostics({ ...dependencies, ...overrides });
      return Object.fromEntries(findings.map((finding) => [findingTitle(finding), finding]));
    },
    async close() {
      await Promise.allSettled([store.close(), writer.close(), reader.close(), postgres.end(), node.stop()]);
    },
  };
};

/** The findings that are not ok, each as one line. */
export const describeProblems = (found: FindingsByTitle): readonly string[] =>
  Object.values(found)
    .filter(({ outcome }) => outcome !== 'ok')
    .map((finding) => `${findingTitle(finding)}: ${finding.outcome}: ${finding.found}`);

/** Accepts connections and never responds. */
export const startSilentServer = async (): Promise<{ readonly port: number; close(): void }> => {
  const sockets = new Set<{ destroy(): void }>();
  const server: Server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
