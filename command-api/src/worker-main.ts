import { hostname } from 'node:os';
import type { ReadinessChecks } from '@popsvc/contracts/diagnostics';
import { createAuthenticator } from '@popsvc/http-kit/auth';
import { readConfig } from '@popsvc/platform/config';
import { createEventStoreMetrics, openEventStore } from '@popsvc/platform/event-store';
import { createServer } from '@popsvc/http-kit/server';
import { openObjectStore } from '@popsvc/platform/object-storage';
import { migrate, openPostgres, readProjectedPositions, requireSynchronousStandby } from '@popsvc/platform/postgres';
import { lowerPriority, runProcess, systemClock } from '@popsvc/platform/runtime';
import { createLog, createMetrics, startTracing } from '@popsvc/platform/telemetry';
import { createMinuteCounts, startMinuteCountWriter } from './intake/minute-counts.ts';
import { startRegistryCache } from './registry/registry-cache.ts';
import { WorkerConfig } from './worker/config.ts';
import { createWorkerMetrics, withRowMinuteCounts } from './worker/metrics.ts';
import { createWorker } from './worker/worker.ts';

await runProcess(async (lifecycle) => {
  const config = readConfig(WorkerConfig, process.env);
  const log = createLog('worker', config.LOG_LEVEL);
  await lifecycle.start(async () => [undefined, await startTracing('popsvc-worker', config, log)]);
  const metrics = createMetrics('worker', { standard: true });
  const owner = config.POPSVC_INSTANCE ?? `${hostname()}-${process.pid}`;
  const postgres = await lifecycle.start(() => {
    const pool = openPostgres({ url: config.DATABASE_URL.reveal(), log, name: 'worker' });
    return [pool, () => pool.end()];
  });
  if (config.POSTGRES_REQUIRE_SYNC_STANDBY) await requireSynchronousStandby(postgres, log);
  await migrate(postgres);
  const store = await lifecycle.start(() => {
    const opened = openEventStore({
      url: config.EVENTSTORE_URL.reveal(),
      log,
      metrics: createEventStoreMetrics(metrics),
    });
    return [opened, () => opened.close()];
  });
  const objects = await lifecycle.start(async () => {
    const opened = await openObjectStore(config);
    return [opened, () => opened.close()];
  });
  const registryCache = await lifecycle.start(() => {
    const started = startRegistryCache(store, log);
    return [started, () => started.stop()];
  });
  const server = await lifecycle.start(() => {
    const opened = createServer({
      routes: [],
      authenticate: createAuthenticator({ operatorToken: config.POPSVC_OPERATOR_TOKEN }),
      log,
      metrics,
      checks: {
        'event-store': () => store.ping(),
        postgresql: () => postgres.query('SELECT 1'),
        objects: () => objects.ping(),
        registry: () => registryCache.requireReady(),
      } satisfies ReadinessChecks<'worker'>,
    });
    return [opened, () => opened.close()];
  });
  const host = config.WORKER_HOST;
  const port = await server.listen({
    port: config.WORKER_PORT,
    variable: 'WORKER_PORT',
    ...(host !== undefined && { host }),
  });
  const minuteCounts = createMinuteCounts(systemClock, 'bulk_accepted');
  await lifecycle.start(() => {
    const stop = startMinuteCountWriter(minuteCounts, postgres, log);
    return [minuteCounts, stop];
  });
  await lifecycle.start(() => {
    const worker = createWorker({
      store,
      objects,
      postgres,
      readProjectedPositions: () => readProjectedPositions(postgres),
      owner,
      registryCache,
      metrics: withRowMinuteCounts(createWorkerMetrics(metrics), minuteCounts),
      log,
      maxLargeJobs: config.WORKER_JOBS,
    });
    return [worker, () => worker.stop()];
  });
  // Bulk files may take hours and must give way to requests and reports. The priority is lowered last, so that the start is fast.
  lowerPriority();
  return { port };
});
