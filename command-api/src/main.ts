import { apiKeyVerifier, createAuthenticator, createRevocationWatch } from '@popsvc/platform/auth';
import { busMetrics, logBus } from '@popsvc/platform/message-bus';
import { readConfig } from '@popsvc/platform/config';
import { openEventStore } from '@popsvc/platform/event-store';
import { openObjects, signingKeysOf } from '@popsvc/platform/object-storage';
import { migrate, openRecords, sweepFigures, sweepRequests } from '@popsvc/platform/postgres';
import { createLog, createMetrics, runProcess, schedule } from '@popsvc/platform/runtime';
import { startTracing } from '@popsvc/platform/tracing';
import { CommandApiConfig } from './service/config.ts';
import { createCommandApi } from './service/create-command-api.ts';

await runProcess(async (life) => {
  const config = readConfig(CommandApiConfig, process.env);
  const log = createLog('command-api', config.LOG_LEVEL);
  await life.start(async () => [undefined, await startTracing('popsvc-command-api', config, log)]);
  const records = await life.start(() => {
    const pool = openRecords({ url: config.DATABASE_URL.reveal(), log, name: 'command-api', connections: 10 });
    return [pool, () => pool.end()];
  });
  await migrate(records);
  const store = await life.start(() => {
    const opened = openEventStore({ url: config.EVENTSTORE_URL.reveal() });
    return [opened, () => opened.close()];
  });
  const watch = await life.start(async () => {
    const started = await createRevocationWatch(records, { log });
    return [started, () => started.stop()];
  });
  await life.start(() => {
    const sweep = schedule('idempotency keys', '*/10 * * * *', () => sweepRequests(records), log);
    return [sweep, () => sweep.stop()];
  });
  await life.start(() => {
    const sweep = schedule('figures', '7 * * * *', () => sweepFigures(records), log);
    return [sweep, () => sweep.stop()];
  });
  const objects = await life.start(async () => {
    const opened = await openObjects(config);
    return [opened, () => opened.close()];
  });
  if (objects.kind === 'disk')
    await life.start(() => {
      const sweep = schedule('unfinished uploads', '*/10 * * * *', () => objects.clear(), log);
      return [sweep, () => sweep.stop()];
    });
  const metrics = createMetrics('command-api', { standard: true });
  const bus = await life.start(() => {
    const opened = logBus({ store, records, log, metrics: busMetrics(metrics) });
    return [opened, () => opened.close()];
  });
  const api = await life.start(() => {
    const created = createCommandApi({
      store,
      records,
      authenticate: createAuthenticator({
        apiKeys: apiKeyVerifier(records, watch),
        operatorToken: config.POPSVC_OPERATOR_TOKEN,
      }),
      log,
      metrics,
      queryApiUrl: config.QUERY_API_URL,
      maxAgeDays: config.MAX_EVENT_AGE_DAYS,
      objects,
      uploads: {
        secrets: signingKeysOf(config),
        publicUrl: config.PUBLIC_INGEST_URL,
        maxBytes: config.MAX_UPLOAD_BYTES,
      },
      bus,
    });
    return [created, () => created.close()];
  });
  return { port: await api.listen({ port: config.COMMAND_API_PORT, variable: 'COMMAND_API_PORT' }) };
});
