import { hostname } from 'node:os';
import { createAuthenticator } from '@popsvc/platform/auth';
import { createBusMetrics, createLogBus, createNatsBus } from '@popsvc/platform/message-bus';
import { readConfig } from '@popsvc/platform/config';
import { openEventStore } from '@popsvc/platform/event-store';
import { createServer } from '@popsvc/platform/http';
import { openObjectStore } from '@popsvc/platform/object-storage';
import { createLeaseStore, migrate, openPostgres } from '@popsvc/platform/postgres';
import { runProcess, systemClock } from '@popsvc/platform/runtime';
import { createLog, createMetrics, startTracing } from '@popsvc/platform/telemetry';
import { intakeMinutes, keepFigures } from './figures/index.ts';
import { mirrorRegistry } from './places/registry-mirror.ts';
import { countedRows, createWorker, WorkerConfig, workerMetrics } from './worker/index.ts';

const sweptAfterMs = 30_000;

await runProcess(async (life) => {
  const config = readConfig(WorkerConfig, process.env);
  const log = createLog('worker', config.LOG_LEVEL);
  await life.start(async () => [undefined, await startTracing('popsvc-worker', config, log)]);
  const metrics = createMetrics('worker', { standard: true });
  const owner = config.POPSVC_INSTANCE ?? `${hostname()}-${process.pid}`;
  const postgres = await life.start(() => {
    const pool = openPostgres({ url: config.DATABASE_URL.reveal(), log, name: 'worker' });
    return [pool, () => pool.end()];
  });
  await migrate(postgres);
  const store = await life.start(() => {
    const opened = openEventStore({ url: config.EVENTSTORE_URL.reveal() });
    return [opened, () => opened.close()];
  });
  const objects = await life.start(async () => {
    const opened = await openObjectStore(config);
    return [opened, () => opened.close()];
  });
  const mirror = await life.start(() => {
    const started = mirrorRegistry(store, log);
    return [started, () => started.stop()];
  });
  const figures = createBusMetrics(metrics);
  const natsUrl = config.NATS_URL?.reveal();
  const feed =
    natsUrl === undefined
      ? undefined
      : await life.start(() => {
          const opened = createNatsBus({ url: natsUrl, name: `worker ${owner}`, store, log, metrics: figures });
          return [opened, () => opened.close()];
        });
  // Beside NATS it sweeps up what that one lost.
  const sweeper = await life.start(() => {
    const firstDelayMs = feed ? sweptAfterMs : 0;
    const opened = createLogBus({ store, postgres, log, metrics: figures, owner, firstDelayMs });
    return [opened, () => opened.close()];
  });
  const server = await life.start(() => {
    const opened = createServer({
      routes: [],
      authenticate: createAuthenticator({ operatorToken: config.POPSVC_OPERATOR_TOKEN }),
      log,
      metrics,
      checks: {
        'event-store': () => store.ping(),
        postgresql: () => postgres.query('SELECT 1'),
        objects: () => objects.ping(),
        registry: () => mirror.ready(),
      },
    });
    return [opened, () => opened.close()];
  });
  const port = await server.listen({ port: config.WORKER_PORT, variable: 'WORKER_PORT' });
  const minutes = intakeMinutes(systemClock, 'bulk_accepted');
  await life.start(() => {
    const tellLast = keepFigures(minutes, postgres, log);
    return [minutes, tellLast];
  });
  await life.start(() => {
    const worker = createWorker({
      store,
      objects,
      leases: createLeaseStore(postgres),
      owner,
      mirror,
      metrics: countedRows(workerMetrics(metrics), minutes),
      log,
      buses: feed ? [feed, sweeper] : [sweeper],
      jobsAtOnce: config.WORKER_JOBS,
    });
    return [worker, () => worker.stop()];
  });
  return { port };
});
