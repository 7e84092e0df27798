import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readConfig } from '@popsvc/platform/config';
import { StartConfig } from './config.ts';
import { demoCredentials } from './demo.ts';
import { startEngines } from './engines.ts';
import { greeting } from './greeting.ts';
import type { ProcessGroup } from './house.ts';
import { writePrivate } from './private-file.ts';
import { keptSecrets } from './secrets.ts';
import { startServices } from './services.ts';
import { whenReady } from './when-ready.ts';

/** Engines, then services, then the demo network; resolves with what to print. */
export const start = async (env: NodeJS.ProcessEnv, house: ProcessGroup): Promise<string> => {
  const read = readConfig(StartConfig, env);
  const config = { ...read, DATA_DIR: resolve(read.DATA_DIR) };
  await mkdir(config.DATA_DIR, { recursive: true });
  const secrets = await keptSecrets(config.DATA_DIR);
  const operatorToken = config.POPSVC_OPERATOR_TOKEN?.reveal() ?? secrets.operatorToken;
  const engines = await startEngines(config, secrets, house);
  const uploadSigningKey = config.UPLOAD_SIGNING_KEY?.reveal() ?? secrets.uploadSigningKey;
  const services = await startServices(config, engines, { operatorToken, uploadSigningKey }, house);
  await whenReady([services.ops, services.ingest, services.query, services.worker]);
  await writePrivate(join(config.DATA_DIR, 'endpoints.json'), {
    query_base_url: services.query,
    ingest_base_url: services.ingest,
    ops_base_url: services.ops,
    worker_base_url: services.worker,
    event_store: config.EVENTSTORE_URL ? 'external' : engines.eventStoreUrl,
    clickhouse: config.CLICKHOUSE_URL === undefined ? engines.clickHouseUrl : 'external',
    analysts: engines.analystsUrl ?? 'external',
    postgres: config.DATABASE_URL ? 'external' : `127.0.0.1:${new URL(engines.databaseUrl).port}`,
  });
  if (config.DATABASE_URL || config.EVENTSTORE_URL)
    return `popsvc ready: reports ${services.query}, ingestion ${services.ingest}, operations ${services.ops}\n`;
  return greeting(await demoCredentials(config.DATA_DIR, services, operatorToken), Date.now());
};
