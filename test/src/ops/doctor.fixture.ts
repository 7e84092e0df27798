import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import { openEventStore } from '@popsvc/platform/event-store';
import { openClickHouseReader, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import {
  registerProjection,
  migrate,
  openPostgres,
  type Postgres,
  writeProjectionStatuses,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { ensureAnalystViews, ensureSchema } from '@popsvc/read-models/generations';
import { type DiagnosticsDependencies, runDiagnostics, type Finding } from '@popsvc/ops-api/server';
import { allProjections } from '@popsvc/projectors/projections';
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

/** Every projection tells that it runs, and has projected what was appended just now. */
const everyoneRuns = (postgres: Postgres) =>
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

/** What doctor finds, by what was looked at. */
export type Found = Readonly<Record<string, Finding>>;

/** A service at rest on real engines, and doctor over it. */
export interface Patient extends DiagnosticsDependencies {
  readonly node: TestEventStore;
  readonly engine: TestClickHouse;
  readonly clickhouseUrl: string;
  readonly databaseUrl: string;
  tellThatAllRun(): Promise<void>;
  /** A probe in the log that says that it was written so many ms ago. */
  probe(agoMs: number): Promise<void>;
  examined(instead?: Partial<DiagnosticsDependencies>): Promise<Found>;
  close(): Promise<void>;
}

export const patient = async (): Promise<Patient> => {
  const [engine, server, node] = await Promise.all([sharedClickHouse(), sharedPostgres(), startTestEventStore()]);
  const clickhouseUrl = `${engine.url}/${await engine.database()}`;
  const databaseUrl = await server.freshDatabase(prepare);
  const writer = openClickHouseWriter({ url: clickhouseUrl, ...engine.writer });
  const reader = openClickHouseReader({ url: clickhouseUrl, ...engine.writer });
  const postgres = openPostgres({ url: databaseUrl, log, name: 'test' });
  const store = openEventStore({ url: node.url });
  const live = allProjections.map((projection) => ({ projection, generation: 1 }));
  await ensureSchema(writer, live);
  await ensureAnalystViews(writer, live);
  for (const { name, version } of allProjections) await registerProjection(postgres, name, version);
  await everyoneRuns(postgres);
  const parts: DiagnosticsDependencies = {
    store,
    writer,
    reader,
    postgres,
    listRunningProjections: () => [],
    declarations: allProjections,
    folders: [process.cwd()],
    services: [],
  };
  return {
    ...parts,
    node,
    engine,
    clickhouseUrl,
    databaseUrl,
    tellThatAllRun: () => everyoneRuns(postgres),
    async probe(agoMs) {
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
    async examined(instead = {}) {
      const findings = await runDiagnostics({ ...parts, ...instead });
      return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
    },
    async close() {
      await Promise.allSettled([store.close(), writer.close(), reader.close(), postgres.end(), node.stop()]);
    },
  };
};
export const brokenOnes = (found: Found): readonly string[] =>
  Object.values(found)
    .filter(({ outcome }) => outcome !== 'ok')
    .map(({ check, outcome, found: text }) => `${check}: ${outcome}: ${text}`);

/** Takes connections and never says a word; `port` is where. */
export const silentServer = async (): Promise<{ readonly port: number; close(): void }> => {
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
