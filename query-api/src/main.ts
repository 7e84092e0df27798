import { startRevocationWatch } from '@popsvc/platform/auth';
import { openClickHouseReader } from '@popsvc/platform/clickhouse';
import { readConfig } from '@popsvc/platform/config';
import { migrate, openPostgres } from '@popsvc/platform/postgres';
import { runProcess } from '@popsvc/platform/runtime';
import { createLog, createMetrics, startTracing } from '@popsvc/platform/telemetry';
import { externalProviderOf, QueryApiConfig } from './service/config.ts';
import { createQueryApi } from './service/create-query-api.ts';

await runProcess(async (lifecycle) => {
  const config = readConfig(QueryApiConfig, process.env);
  const log = createLog('query-api', config.LOG_LEVEL);
  await lifecycle.start(async () => [undefined, await startTracing('popsvc-query-api', config, log)]);
  const postgres = await lifecycle.start(() => {
    const pool = openPostgres({ url: config.DATABASE_URL.reveal(), name: 'query-api', log });
    return [pool, () => pool.end()] as const;
  });
  await migrate(postgres);
  const watch = await lifecycle.start(async () => {
    const started = await startRevocationWatch(postgres, { log });
    return [started, () => started.stop()] as const;
  });
  const reader = await lifecycle.start(() => {
    const opened = openClickHouseReader({
      url: config.CLICKHOUSE_URL,
      username: config.CLICKHOUSE_USER,
      password: config.CLICKHOUSE_PASSWORD.reveal(),
    });
    return [opened, () => opened.close()] as const;
  });
  const server = await lifecycle.start(() => {
    const created = createQueryApi({
      reader,
      postgres,
      watch,
      log,
      metrics: createMetrics('query-api', { standard: true }),
      provider: externalProviderOf(config),
      operatorToken: config.POPSVC_OPERATOR_TOKEN,
    });
    return [created, () => created.close()] as const;
  });
  const port = await server.listen({ port: config.QUERY_API_PORT, variable: 'QUERY_API_PORT' });
  log.info({ port }, 'service started');
  return { port };
});
