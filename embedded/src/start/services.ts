import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ReadyResponse, reportReadyService } from '@popsvc/contracts/diagnostics';
import { OperatorError } from '@popsvc/platform/runtime';
import { type ProcessOptions, startSupervisedProcess } from '../supervisor/supervised-process.ts';
import type { StartConfig } from './config.ts';
import type { Engines } from './engines.ts';
import type { ServicePorts } from './ports.ts';
import { type ProcessGroup, stopTimeoutsMs } from './process-group.ts';
import type { Secrets } from './secrets.ts';

export interface Services {
  readonly query: string;
  readonly ingest: string;
  readonly ops: string;
  readonly worker: string;
}

const programPath = (service: string, program = 'main') =>
  fileURLToPath(new URL(`../../../${service}/dist/${program}.js`, import.meta.url));

/** Without a limit, V8 lets the heap of a process that streams data grow large before collecting garbage. */
const workerFlags = ['--enable-source-maps', '--max-old-space-size=256'];

/** The same at every start with this folder on this host, so that a new run takes over the leases of the previous run immediately. */
const instanceName = ({ DATA_DIR }: StartConfig): string =>
  `embedded-${hostname()}-${hash('sha256', DATA_DIR).slice(0, 12)}`.slice(0, 100);

/** The projectors start first, because they create the tables and views that the other services need. */
export const startServices = async (
  config: StartConfig,
  { QUERY_API_PORT: query, COMMAND_API_PORT: ingest, OPS_PORT: ops, WORKER_PORT: worker }: ServicePorts,
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
    // Removes the variable, which services that need no key would otherwise inherit.
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
      { WORKER_HOST: config.WORKER_HOST },
      {
        command: [process.execPath, ...workerFlags, programPath('command-api', 'worker-main')],
      },
    ),
  ]);
  const toUrl = (port: number) => `http://localhost:${port}`;
  return { query: toUrl(query), ingest: toUrl(ingest), ops: toUrl(ops), worker: toUrl(worker) };
};

const readyTimeoutMs = 60_000;

/** Resolves with a line for each service that is degraded: an operator can repair it while it runs. */
export const waitUntilReady = async (baseUrls: readonly string[]): Promise<readonly string[]> => {
  const problems: string[] = [];
  const deadline = Date.now() + readyTimeoutMs;
  for (const baseUrl of baseUrls)
    for (;;) {
      const response = await fetch(`${baseUrl}/readyz`).catch((error: unknown) => error as Error);
      if (response instanceof Response && response.ok) {
        const { outcome, found } = reportReadyService(baseUrl, baseUrl, (await response.json()) as ReadyResponse);
        if (outcome !== 'ok') problems.push(`${found}\n`);
        break;
      }
      if (Date.now() > deadline) {
        const reason = response instanceof Response ? await response.text() : response.message;
        throw new OperatorError(`${baseUrl} did not become ready within ${readyTimeoutMs / 1000} s: ${reason}`);
      }
      await sleep(100);
    }
  return problems;
};
