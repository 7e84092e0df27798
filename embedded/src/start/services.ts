import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { choosePort, type ProcessOptions, startSupervisedProcess } from '../supervisor/index.ts';
import type { StartConfig } from './config.ts';
import type { Engines } from './engines.ts';
import type { ProcessGroup } from './house.ts';
import type { Secrets } from './secrets.ts';

/** Where the services answer. */
export interface Services {
  readonly query: string;
  readonly ingest: string;
  readonly ops: string;
  readonly worker: string;
}

const entryOf = (service: string, program = 'main') =>
  fileURLToPath(new URL(`../../../${service}/dist/${program}.js`, import.meta.url));

/** Left to itself, Node lets the heap of a process that streams grow before it collects anything. */
const workerFlags = ['--enable-source-maps', '--max-old-space-size=256'];

/** The same at every start on this data, so that leases are taken over at once; another for any other service. */
const instanceOf = ({ DATA_DIR }: StartConfig): string =>
  `embedded-${hostname()}-${hash('sha256', DATA_DIR).slice(0, 12)}`.slice(0, 100);

/** Projectors first: they make the tables and views the others rely on. */
export const startServices = async (
  config: StartConfig,
  engines: Engines,
  { operatorToken, uploadSigningKey }: Pick<Secrets, 'operatorToken' | 'uploadSigningKey'>,
  house: ProcessGroup,
): Promise<Services> => {
  // Asked before anything starts, so that a taken port is told by its variable.
  const [query, ingest, ops, worker] = await Promise.all([
    choosePort(config.QUERY_API_PORT, 'QUERY_API_PORT'),
    choosePort(config.COMMAND_API_PORT, 'COMMAND_API_PORT'),
    choosePort(config.OPS_PORT, 'OPS_PORT'),
    choosePort(config.WORKER_PORT, 'WORKER_PORT'),
  ]);
  const shared = {
    EVENTSTORE_URL: engines.eventStoreUrl,
    DATABASE_URL: engines.databaseUrl,
    CLICKHOUSE_URL: engines.clickHouseUrl,
    ANALYSTS_URL: engines.analystsUrl,
    NATS_URL: config.NATS_URL?.reveal(),
    DATA_DIR: config.DATA_DIR,
    UPLOAD_SIGNING_KEY: uploadSigningKey,
    POPSVC_OPERATOR_TOKEN: operatorToken,
    POPSVC_INSTANCE: instanceOf(config),
    LOG_LEVEL: config.LOG_LEVEL,
    QUERY_API_PORT: String(query),
    COMMAND_API_PORT: String(ingest),
    OPS_PORT: String(ops),
    WORKER_PORT: String(worker),
    QUERY_API_URL: `http://localhost:${query}`,
    COMMAND_API_URL: `http://localhost:${ingest}`,
    WORKER_URL: `http://localhost:${worker}`,
  };
  const start = (
    name: string,
    { user, password }: Engines['writer'],
    run: ProcessOptions['run'] = { entry: entryOf(name) },
  ) =>
    house.add(
      startSupervisedProcess({
        name,
        run,
        env: { ...shared, CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password },
        ready: 'json-line',
        onLine: house.printLine,
      }),
    );
  await start('projectors', engines.writer);
  await Promise.all([
    start('command-api', engines.reader),
    start('query-api', engines.reader),
    start('worker', engines.reader, {
      command: [process.execPath, ...workerFlags, entryOf('command-api', 'worker-main')],
    }),
  ]);
  const at = (port: number) => `http://localhost:${port}`;
  return { query: at(query), ingest: at(ingest), ops: at(ops), worker: at(worker) };
};
