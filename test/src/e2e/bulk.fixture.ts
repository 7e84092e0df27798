import { createApiKey } from '@popsvc/http-kit/auth';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { freshRecordsUrl } from '../command-api/command-api.fixture.ts';
import { startFaultProxy } from '../faults/fault-proxy.fixture.ts';
import { createBulkClient, temporaryFolder } from '@popsvc/tools/rig';
import { startTestEventStore } from '../support/engines.ts';
import { startWorker } from '../worker/worker-process.fixture.ts';

export interface BulkTestSystemOptions {
  /** How fast the worker can write to the event store. Default unlimited. */
  readonly workerBytesPerSecond?: number;
}

/** Processes of command-api and the bulk worker, with a vendor of network 1. */
export const bulkSystem = async ({ workerBytesPerSecond }: BulkTestSystemOptions = {}) => {
  const [node, databaseUrl, dataDir] = await Promise.all([
    startTestEventStore(),
    freshRecordsUrl(),
    temporaryFolder('uploads'),
  ]);
  const slowWay = workerBytesPerSecond === undefined ? undefined : await startFaultProxy(node.url);
  slowWay?.disturb({ there: { bytesPerSecond: workerBytesPerSecond! } });
  const startNextWorker = () =>
    startWorker({ node, databaseUrl, dataDir }, slowWay ? { EVENTSTORE_URL: slowWay.url } : {});
  const api = await startCommandApi(node.url, databaseUrl, { DATA_DIR: dataDir });
  let worker = await startNextWorker();
  const postgres = openPostgres({ url: databaseUrl, log: createLog('test', 'silent'), name: 'test' });
  const { apiKey } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
  await postgres.end();
  return {
    node,
    worker: () => worker,
    vendor: createBulkClient(api.baseUrl, apiKey),
    async replaceWorker() {
      await worker.stop();
      worker = await startNextWorker();
    },
    async close() {
      await Promise.all([worker.stop(), api.stop()]);
      await slowWay?.close();
      await node.stop();
    },
  };
};
export type BulkTestSystem = Awaited<ReturnType<typeof bulkSystem>>;
