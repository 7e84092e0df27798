import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '@popsvc/platform/runtime';
import { choosePort } from '../supervisor/ports.ts';
import { type ProcessOptions, startSupervisedProcess } from '../supervisor/supervised-process.ts';
import type { StartConfig } from './config.ts';
import type { Engines } from './engines.ts';
import { type ProcessGroup, stopTimeoutsMs } from './process-group.ts';
import type { Secrets } from './secrets.ts';

/** Base URLs of the services. */
export interface Services {
  readonly query: string;
  readonly ingest: string;
  readonly ops: string;
  readonly worker: string;
}

const programPath = (service: string, program = 'main') =>
  fileURLToPath(new URL(`../../../${service}/dist/${program}.js`, import.meta.url));

/**
 * Limits the worker's heap to 256 MiB. Without a limit, V8 lets the heap of a process that streams data grow large before
 * collecting garbage.
 */
const workerFlags = ['--enable-source-maps', '--max-old-space-size=256'];

/**
 * Returns the same instance name at every start with the same data folder. A new run can therefore take over the previous run's
 * leases immediately.
 */
const instanceName = ({ DATA_DIR }: StartConfig): string =>
  `embedded-${hostname()}-${hash('sha256', DATA_DIR).slice(0, 12)}`.slice(0, 100);

/** The ports of the services. */
export interface ServicePorts {
  readonly query: number;
  readonly ingest: number;
  readonly ops: number;
  readonly worker: number;
}

/** Chooses the ports of all services. If a port is occupied, throws an error that names the environment variable to change. */
export const chooseServicePorts = async (config: StartConfig): Promise<ServicePorts> => {
  const [query, ingest, ops, worker] = await Promise.all([
    choosePort(config.QUERY_API_PORT, 'QUERY_API_PORT'),
    choosePort(config.COMMAND_API_PORT, 'COMMAND_API_PORT'),
    choosePort(config.OPS_PORT, 'OPS_PORT'),
    choosePort(config.WORKER_PORT, 'WORKER_PORT'),
  ]);
  return { query, ingest, ops, worker };
};

/** Starts all services. The projectors start first, because they create the tables and views that the other services need. */
export const startServices = async (
  config: StartConfig,
  { query, ingest, ops, worker }: ServicePorts,
  engines: Engines,
  {
    operatorToken,
    uploadSigningKey,
    encryptionKey,
  }: Pick<Secrets, 'operatorToken' | 'uploadSigningKey' | 'encryptionKey'>,
  processes: ProcessGroup,
): Promise<Services> => {
  const shared = {
    EVENTSTORE_URL: engines.eventStoreUrl,
    DATABASE_URL: engines.databaseUrl,
    POSTGRES_REQUIRE_SYNC_STANDBY: String(config.POSTGRES_REQUIRE_SYNC_STANDBY),
    CLICKHOUSE_URL: engines.clickHouseUrl,
    CLICKHOUSE_CLUSTER: config.CLICKHOUSE_CLUSTER,
    ANALYSTS_URL: engines.analystsUrl,
    NATS_URL: config.NATS_URL?.reveal(),
    DATA_DIR: config.DATA_DIR,
    UPLOAD_SIGNING_KEY: uploadSigningKey,
    POPSVC_OPERATOR_TOKEN: operatorToken,
    // Not inherited by the services that need no key.
    POPSVC_ENCRYPTION_KEY: undefined,
    POPSVC_INSTANCE: instanceName(config),
    LOG_LEVEL: config.LOG_LEVEL,
    QUERY_API_PORT: String(query),
    COMMAND_API_PORT: String(ingest),
    OPS_PORT: String(ops),
    WORKER_PORT: String(worker),
    QUERY_API_URL: `http://localhost:${query}`,
    COMMAND_API_URL: `http://localhost:${ingest}`,
    WORKER_URL: `http://localhost:${worker}`,
  };
  const withKey = { POPSVC_ENCRYPTION_KEY: encryptionKey };
  const start = (
    name: string,
    { user, password }: Engines['writer'],
    env: Readonly<Record<string, string>> = {},
    run: ProcessOptions['run'] = { entry: programPath(name) },
  ) =>
    processes.add((signal) =>
      startSupervisedProcess({
        name,
        run,
        signal,
        stopTimeoutMs: stopTimeoutsMs.service,
        env: { ...shared, ...env, CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password },
        ready: 'json-line',
        onLine: processes.printLine,
      }),
    );
  await start('projectors', engines.writer, withKey);
  await Promise.all([
    start('command-api', engines.reader),
    start('query-api', engines.reader, withKey),
    start(
      'worker',
      engines.reader,
      {},
      {
        command: [process.execPath, ...workerFlags, programPath('command-api', 'worker-main')],
      },
    ),
  ]);
  const toUrl = (port: number) => `http://localhost:${port}`;
  return { query: toUrl(query), ingest: toUrl(ingest), ops: toUrl(ops), worker: toUrl(worker) };
};

const readyTimeoutMs = 60_000;

/**
 * Waits until `/readyz` succeeds for every service. If a service does not become ready, throws an error with its last response.
 */
export const waitUntilReady = async (baseUrls: readonly string[]): Promise<void> => {
  const deadline = Date.now() + readyTimeoutMs;
  for (const baseUrl of baseUrls)
    for (;;) {
      const response = await fetch(`${baseUrl}/readyz`).catch((error: unknown) => error as Error);
      if (response instanceof Response && response.ok) break;
      if (Date.now() > deadline) {
        const reason = response instanceof Response ? await response.text() : response.message;
        throw new OperatorError(`${baseUrl} did not become ready within ${readyTimeoutMs / 1000} s: ${reason}`);
      }
      await sleep(100);
    }
};
