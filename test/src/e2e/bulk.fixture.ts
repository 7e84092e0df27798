import { createApiKey } from '@popsvc/platform/auth';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { freshRecordsUrl } from '../command-api/command-api.fixture.ts';
import { createBulkClient, temporaryFolder } from '@popsvc/tools/rig';
import { startTestEventStore } from '../support/engines.ts';
import { startWorker } from '../worker/worker-process.fixture.ts';

/** Processes of command-api and the bulk worker, with a vendor of network 1. */
export const bulkSystem = async (env: Readonly<Record<string, string>> = {}) => {
  const [node, databaseUrl, dataDir] = await Promise.all([
    startTestEventStore(),
    freshRecordsUrl(),
    temporaryFolder('uploads'),
  ]);
  const api = await startCommandApi(node.url, databaseUrl, { ...env, DATA_DIR: dataDir });
  const worker = await startWorker({ node, databaseUrl, dataDir }, env);
  const postgres = openPostgres({ url: databaseUrl, log: createLog('test', 'silent'), name: 'test' });
  const { apiKey } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
  await postgres.end();
  return {
    node,
    worker,
    vendor: createBulkClient(api.baseUrl, apiKey),
    async close() {
      await Promise.all([worker.stop(), api.stop()]);
      await node.stop();
    },
  };
};
export type BulkTestSystem = Awaited<ReturnType<typeof bulkSystem>>;
