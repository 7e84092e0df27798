import { createApiKeyVerifier, createAuthenticator, startRevocationWatch } from '@popsvc/http-kit/auth';
import { readConfig } from '@popsvc/platform/config';
import { createEventStoreMetrics, openEventStore } from '@popsvc/platform/event-store';
import { openObjectStore, parseUploadSigningKeys } from '@popsvc/platform/object-storage';
import {
  deleteExpiredRequests,
  deleteOldMinutes,
  deleteOldRefusedHours,
  migrate,
  openPostgres,
  requireSynchronousStandby,
} from '@popsvc/platform/postgres';
import { runProcess, startSchedule } from '@popsvc/platform/runtime';
import { createLog, createMetrics, startTracing } from '@popsvc/platform/telemetry';
import { CommandApiConfig } from './service/config.ts';
import { createCommandApi } from './service/create-command-api.ts';

await runProcess(async (lifecycle) => {
  const config = readConfig(CommandApiConfig, process.env);
  const log = createLog('command-api', config.LOG_LEVEL);
  await lifecycle.start(async () => [undefined, await startTracing('popsvc-command-api', config, log)]);
  const metrics = createMetrics('command-api', { standard: true });
  const postgres = await lifecycle.start(() => {
    const pool = openPostgres({ url: config.DATABASE_URL.reveal(), log, name: 'command-api', connections: 10 });
    return [pool, () => pool.end()];
  });
  // API keys have a pool of their own: while no synchronous standby is connected, waiting commits may occupy the first pool.
  const postgresOfCredentials = await lifecycle.start(() => {
    const pool = openPostgres({
      url: config.DATABASE_URL.reveal(),
      log,
      name: 'command-api-credentials',
      connections: 3,
    });
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
  const revocationWatch = await lifecycle.start(async () => {
    const started = await startRevocationWatch(postgresOfCredentials, { log });
    return [started, () => started.stop()];
  });
  await lifecycle.start(() => {
    const sweep = startSchedule('idempotency keys', '*/10 * * * *', () => deleteExpiredRequests(postgres), log);
    return [sweep, () => sweep.stop()];
  });
  await lifecycle.start(() => {
    const deleteOldCounts = async () => {
      await deleteOldMinutes(postgres);
      await deleteOldRefusedHours(postgres);
    };
    const sweep = startSchedule('intake counts', '7 * * * *', deleteOldCounts, log);
    return [sweep, () => sweep.stop()];
  });
  const objects = await lifecycle.start(async () => {
    const opened = await openObjectStore(config);
    return [opened, () => opened.close()];
  });
  if (objects.kind === 'disk')
    await lifecycle.start(() => {
      const sweep = startSchedule('unfinished uploads', '*/10 * * * *', () => objects.removeAbandonedUploads(), log);
      return [sweep, () => sweep.stop()];
    });
  const api = await lifecycle.start(() => {
    const created = createCommandApi({
      store,
      postgres,
      postgresOfCredentials,
      authenticate: createAuthenticator({
        apiKeys: createApiKeyVerifier(postgresOfCredentials, revocationWatch),
        operatorToken: config.POPSVC_OPERATOR_TOKEN,
      }),
      log,
      metrics,
      queryApiUrl: config.QUERY_API_URL,
      maxAgeDays: config.MAX_EVENT_AGE_DAYS,
      allowedOrigins: config.CORS_ALLOW_ORIGINS,
      objects,
      uploads: {
        secrets: parseUploadSigningKeys(config),
        publicUrl: config.PUBLIC_INGEST_URL,
        maxBytes: config.MAX_UPLOAD_BYTES,
      },
      runsUploadLifecycle: true,
    });
    return [created, () => created.close()];
  });
  return { port: await api.listen({ port: config.COMMAND_API_PORT, variable: 'COMMAND_API_PORT' }) };
});
