import { join, resolve } from 'node:path';
import { readConfig } from '@popsvc/platform/config';
import { writeJsonFile } from '@popsvc/platform/runtime';
import { StartConfig } from './config.ts';
import { prepareDataFolder, restrictDataFolder } from './data-format.ts';
import {
  areDemoCredentialsAccepted,
  createDemoNetwork,
  mayRegisterDemo,
  printableExamples,
  updateDemoCredentials,
} from './demo.ts';
import { startEngines } from './engines.ts';
import { lockDataFolder } from './folder-lock.ts';
import type { ProcessGroup } from './process-group.ts';
import { stopLeftovers } from './leftovers.ts';
import { chooseAllPorts } from './ports.ts';
import { loadSecrets } from './secrets.ts';
import { startServices, waitUntilReady } from './services.ts';

const endpointOf = (configuredUrl: unknown, embeddedEndpoint: () => string | undefined): string | undefined =>
  configuredUrl === undefined ? embeddedEndpoint() : 'external';

const describeSignIn = ({ DATA_DIR, POPSVC_OPERATOR_TOKEN }: StartConfig, consoleUrl: string): string => {
  const place = POPSVC_OPERATOR_TOKEN ? 'POPSVC_OPERATOR_TOKEN' : `operatorToken in ${join(DATA_DIR, 'secrets.json')}`;
  return `Console: ${consoleUrl}. Sign in with the operator token: ${place}. The command line reads it there.\n`;
};

const seedHint =
  'No network was registered. To try the service with a demo network (network 1), start it with SEED_DEMO=1.\n';

const otherNetworksHint =
  'No demo network was registered: the registry has other networks. SEED_DEMO=1 adds it to them, unless one of them is network 1.\n';

const refusedHint =
  'The service refuses the credentials in demo-credentials.json, so no examples are printed: the demo network was retired, or they were revoked or replaced (`clients rotate`).\n';

/** Resolves with the text to print. */
export const start = async (
  env: NodeJS.ProcessEnv,
  processes: ProcessGroup,
  report: (step: string) => void,
): Promise<string> => {
  const variables = readConfig(StartConfig, env);
  const config = { ...variables, DATA_DIR: resolve(variables.DATA_DIR) };
  await prepareDataFolder(config.DATA_DIR);
  await lockDataFolder(config.DATA_DIR);
  restrictDataFolder(config.DATA_DIR, { hasPostgres: config.DATABASE_URL === undefined });
  // Only their own account can access the files that engines and services create from now on.
  process.umask(0o077);
  await stopLeftovers(config.DATA_DIR, processes.printLine);
  // The leftover processes must have freed their ports.
  const ports = await chooseAllPorts(config);
  const secrets = await loadSecrets(config.DATA_DIR);
  const operatorToken = config.POPSVC_OPERATOR_TOKEN?.reveal() ?? secrets.operatorToken;
  report(`Starting the engines. Data folder: ${config.DATA_DIR}`);
  const engines = await startEngines(config, ports, secrets, processes);
  const uploadSigningKey = config.UPLOAD_SIGNING_KEY?.reveal() ?? secrets.uploadSigningKey;
  const encryptionKey = config.POPSVC_ENCRYPTION_KEY?.reveal() ?? secrets.encryptionKey;
  report('Starting the services.');
  const services = await startServices(
    config,
    ports,
    engines,
    { operatorToken, uploadSigningKey, encryptionKey },
    processes,
  );
  // On a read-only log, some projections may not run, so the services may never be ready. They still serve the existing rows.
  const problems =
    env['EVENT_STORE_READ_ONLY'] === '1'
      ? []
      : await waitUntilReady([services.ops, services.ingest, services.query, services.worker]);
  await writeJsonFile(join(config.DATA_DIR, 'endpoints.json'), {
    query_base_url: services.query,
    ingest_base_url: services.ingest,
    ops_base_url: services.ops,
    worker_base_url: services.worker,
    event_store: endpointOf(config.EVENTSTORE_URL, () => engines.eventStoreUrl),
    clickhouse: endpointOf(config.CLICKHOUSE_URL, () => engines.clickHouseUrl),
    analysts: endpointOf(config.CLICKHOUSE_URL, () => engines.analystsUrl),
    postgres: endpointOf(config.DATABASE_URL, () => `127.0.0.1:${new URL(engines.databaseUrl).port}`),
  });
  const readyLine = `popsvc ready: reports ${services.query}, ingestion ${services.ingest}, operations ${services.ops}\n`;
  const head = readyLine + problems.join('') + describeSignIn(config, services.ops);
  const stored = await updateDemoCredentials(config.DATA_DIR, services, operatorToken);
  // Others may use an external event store or PostgreSQL, so the demo network is registered there only on request.
  if (config.SEED_DEMO === false) return head;
  if (config.SEED_DEMO === undefined && (config.EVENTSTORE_URL || config.DATABASE_URL)) return head + seedHint;
  if (!stored && !(await mayRegisterDemo(services.ops, operatorToken, config.SEED_DEMO === true)))
    return head + otherNetworksHint;
  const credentials = stored ?? (await createDemoNetwork(config.DATA_DIR, services, operatorToken));
  if (stored && !(await areDemoCredentialsAccepted(stored))) return head + refusedHint;
  return head + printableExamples(credentials, Date.now());
};
