import { onlyShard } from '@popsvc/domain/partitioning';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { readReplicaStates } from '@popsvc/read-models/generations';
import {
  createApiKeyVerifier,
  createApiKey,
  createAuthenticator,
  startAccountWatch,
  startRevocationWatch,
  createOperatorSessions,
} from '@popsvc/http-kit/auth';
import { Secret } from '@popsvc/platform/config';
import { createServer, type HttpServer } from '@popsvc/http-kit/server';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import type { AddressRange } from '@popsvc/platform/webhook-requests';
import { createCommandApi } from '@popsvc/command-api/service';
import { createQueryApi } from '@popsvc/query-api/service';
import { createAnalystLogins } from '@popsvc/ops-api/analysts';
import { allProjections } from '@popsvc/projectors/projections';
import { createRegistryLog, createWrongTokenLimiter, opsRoutes } from '@popsvc/ops-api/server';
import { generousIntake } from './generous-intake.ts';
import { sharedClickHouse } from './engines.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from './test-system.ts';
import { testUploads } from './uploads.ts';
import { secretSealer } from './test-sealer.ts';

const log = createLog('test', 'silent');
export const operatorToken = 'operator-token-of-tests';

/** A test system with command-api, query-api and ops-api in this process. Events are projected only when the test calls `project`. */
export interface TestServices extends TestSystem {
  readonly ingestUrl: string;
  readonly queryUrl: string;
  readonly opsUrl: string;
  apiKey(network?: number, vendor?: string): Promise<string>;
  /** Stops query-api; it cannot be started again. */
  stopReports(): Promise<void>;
}

const listenOnFreePort = async (server: Pick<HttpServer, 'listen'>) =>
  `http://127.0.0.1:${await server.listen({ port: 0, host: '127.0.0.1' })}`;

export interface TestServicesOptions extends TestSystemOptions {
  /** Ranges of internal addresses that webhooks may name. */
  readonly openedAddresses?: readonly AddressRange[];
  /** Further shards whose servers `GET /ops/v1/cluster` lists. */
  readonly otherShards?: readonly ClickHouseWriter[];
}

export const startTestServices = async (options: TestServicesOptions = {}): Promise<TestServices> => {
  const system = await startTestSystem(options);
  const { store, postgres, reader } = system;
  const watch = await startRevocationWatch(postgres, { log });
  const token = new Secret(operatorToken);
  const accounts = startAccountWatch(postgres, { log });
  const sessions = createOperatorSessions(token, { accounts });
  const authenticate = createAuthenticator({
    apiKeys: createApiKeyVerifier(postgres, watch),
    operatorToken: token,
    sessions,
  });
  const reports = createQueryApi({
    shards: [{ shard: onlyShard, reader }],
    postgres,
    secretSealer,
    watch,
    log,
    metrics: createMetrics('test'),
    openedAddresses: options.openedAddresses ?? [],
  });
  const queryUrl = await listenOnFreePort(reports);
  const intake = createCommandApi({
    store,
    postgres,
    postgresOfCredentials: postgres,
    authenticate,
    log,
    metrics: createMetrics('test'),
    queryApiUrl: queryUrl,
    ...generousIntake,
    ...(await testUploads()),
  });
  const ops = createServer({
    routes: opsRoutes({
      declarations: allProjections,
      store,
      registryLog: createRegistryLog(store, log),
      fleet: { report: () => Promise.resolve([]) },
      reader,
      shards: [{ shard: onlyShard, reader }],
      postgres,
      secretSealer,
      log,
      readProjections: () => Promise.resolve([]),
      analystLogins: createAnalystLogins([system.writer], { postgres, log }),
      openedAddresses: options.openedAddresses ?? [],
      analystsUrl: (await sharedClickHouse()).analystsUrl,
      runDiagnostics: () => Promise.resolve([]),
      readReplicas: () => readReplicaStates([system.writer, ...(options.otherShards ?? [])]),
      shardCount: 1,
      sessions,
      wrongTokens: createWrongTokenLimiter(),
      accounts,
    }),
    authenticate,
    log,
    checks: {},
    metrics: createMetrics('test'),
  });
  return {
    ...system,
    queryUrl,
    ingestUrl: await listenOnFreePort(intake),
    opsUrl: await listenOnFreePort(ops),
    apiKey: async (networkId = 1, vendor = 'acme') => (await createApiKey(postgres, { vendor, networkId })).apiKey,
    stopReports: () => reports.close(),
    async close() {
      await Promise.all([reports.close(), intake.close(), ops.close()]);
      watch.stop();
      accounts.stop();
      await system.close();
    },
  };
};
