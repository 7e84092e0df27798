import { startRevocationWatch } from '@popsvc/platform/auth';
import { readConfig } from '@popsvc/platform/config';
import { openClickHouseReader } from '@popsvc/platform/clickhouse';
import { migrate, openPostgres } from '@popsvc/platform/postgres';
import { runProcess } from '@popsvc/platform/runtime';
import { createLog, createMetrics, startTracing } from '@popsvc/platform/telemetry';
import { createQueryApi, providerOf, QueryApiConfig } from './service/index.ts';

/** The process of the reporting service. */
await runProcess(async (life) => {
  const config = readConfig(QueryApiConfig, process.env);
  const log = createLog('query-api', config.LOG_LEVEL);
  await life.start(async () => [undefined, await startTracing('popsvc-query-api', config, log)]);
  const postgres = await life.start(() => {
    const pool = openPostgres({ url: config.DATABASE_URL.reveal(), name: 'query-api', log });
    return [pool, () => pool.end()] as const;
  });
  await migrate(postgres);
  const watch = await life.start(async () => {
    const watching = await startRevocationWatch(postgres, { log });
    return [watching, () => watching.stop()] as const;
  });
  const reader = await life.start(() => {
    const opened = openClickHouseReader({
      url: config.CLICKHOUSE_URL,
      username: config.CLICKHOUSE_USER,
      password: config.CLICKHOUSE_PASSWORD.reveal(),
    });
    return [opened, () => opened.close()] as const;
  });
  const server = await life.start(() => {
    const created = createQueryApi({
      reader,
      postgres,
      watch,
      log,
      metrics: createMetrics('query-api', { standard: true }),
      provider: providerOf(config),
      operatorToken: config.POPSVC_OPERATOR_TOKEN,
    });
    return [created, () => created.close()] as const;
  });
  const port = await server.listen({ port: config.QUERY_API_PORT, variable: 'QUERY_API_PORT' });
  log.info({ port }, 'the reporting endpoints are open');
  return { port };
});
