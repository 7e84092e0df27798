import { join } from 'node:path';
import { createApiKey } from '@popsvc/http-kit/auth';
import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { migrate, openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { openGenerations } from '@popsvc/read-models/generations';
import { temporaryFolder } from '@popsvc/tools/rig';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestSystem } from '../support/test-system.ts';
import { type ReadModels, readReadModels } from './damaged-clickhouse.fixture.ts';
import { type LogContent, readLog } from './damaged-event-log.fixture.ts';
import { readTables, type TableContents } from './damaged-postgres.fixture.ts';
import { startClickHouse, startDatabase, startNode, users } from './engine-processes.fixture.ts';

const log = createLog('test', 'silent');
const isLong = process.env['POPSVC_LONG'] === '1';

/** The engines of an installation, one folder each below `dataDir`, as the service stores them. No engine runs. */
export interface PreparedEngines {
  readonly dataDir: string;
  /** Of the network of the small registry. */
  readonly apiKey: string;
  readonly content: Content;
}

/** What the engines contain. */
interface Content {
  readonly log: LogContent;
  readonly tables: TableContents;
  readonly readModels: ReadModels;
}

const at = (second: number) => new Date(Date.parse('2026-08-20T14:00:00Z') + second * 1_000).toISOString();

/** Starts all engines in a new folder, stores and projects events of every kind, and stops the engines. */
export const prepareEngines = async (): Promise<PreparedEngines> => {
  const dataDir = await temporaryFolder('engines');
  const [node, database, clickHouse] = await Promise.all([
    startNode(join(dataDir, 'event-store')),
    startDatabase(join(dataDir, 'postgres')),
    startClickHouse(join(dataDir, 'clickhouse')),
  ]);
  const nodeOfSystem = {
    url: `esdb://127.0.0.1:${node.port}?tls=false`,
    dir: join(dataDir, 'event-store'),
    port: node.port,
    stop: node.close,
    restart: () => Promise.reject(new Error('not used')),
  };
  const { url, writer: writerLogin, reader } = clickHouse;
  const system = await startTestSystem({
    engine: { url, analystsUrl: url, ...users, writer: writerLogin, reader, database: () => Promise.resolve('') },
    node: nodeOfSystem,
    databaseUrl: database.url,
    readModels: async () => {
      const postgres = openPostgres({ url: database.url, log, name: 'test' });
      const writer = openClickHouseWriter({ url, ...writerLogin });
      await migrate(postgres);
      await openGenerations({ postgres, writer, log }, allProjections);
      await Promise.all([postgres.end(), writer.close()]);
      return url;
    },
  });
  const { apiKey } = await createApiKey(system.postgres, { vendor: 'acme', networkId: 1 });
  await system.register(smallRegistry);
  // Two halves in the long form, so that tables have several parts.
  for (const half of isLong ? [0, 1] : [0]) {
    for (let index = half * 60; index < half * 60 + 60; index += 1) {
      await system.play({ eventId: `p-${index}`, playedAt: at(index * 10) });
      await system.detection({
        detectionId: `d-${index}`,
        watcherId: index,
        startedAt: at(index * 10 + 1),
        endedAt: at(index * 10 + 8),
        watches: [{ startedAt: at(index * 10 + 2), endedAt: at(index * 10 + 5) }],
      });
    }
    await system.heartbeat({ deviceId: 4, appCode: 'player', state: 'running', at: at(half * 600) });
    await system.interval({ startedAt: at(half * 900), endedAt: at(half * 900 + 600), revision: half });
    await system.project();
  }
  const content = { log: await readLog(system.store), readModels: await readReadModels(system, apiKey) };
  await system.close();
  const tables = await readTables(database.url);
  await Promise.all([database.stop(), clickHouse.process.stop()]);
  return { dataDir, apiKey, content: { ...content, tables } };
};
