import { startRevocationWatch } from '@popsvc/http-kit/auth';
import { listServersOf, openShardReaders, requireListedShards } from '@popsvc/platform/clickhouse';
import { isReplicaReady } from '@popsvc/read-models/generations';
import { readConfig } from '@popsvc/platform/config';
import {
  createSecretSealer,
  migrate,
  openPostgres,
  requireSynchronousStandby,
  sealSecretsInClear,
} from '@popsvc/platform/postgres';
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
  if (config.POSTGRES_REQUIRE_SYNC_STANDBY) await requireSynchronousStandby(postgres, log);
  await migrate(postgres);
  const secretSealer = createSecretSealer(config.POPSVC_ENCRYPTION_KEY.reveal());
  await sealSecretsInClear(postgres, secretSealer);
  const watch = await lifecycle.start(async () => {
    const started = await startRevocationWatch(postgres, { log });
    return [started, () => started.stop()] as const;
  });
  const clickhouse = {
    url: config.CLICKHOUSE_URL,
    cluster: config.CLICKHOUSE_CLUSTER,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD.reveal(),
  };
  await requireListedShards(listServersOf(clickhouse));
  const shards = await lifecycle.start(() => {
    const opened = openShardReaders(clickhouse, isReplicaReady);
    return [
      opened,
      async () => {
        await Promise.all(opened.map(({ reader }) => reader.close()));
      },
    ] as const;
  });
  const server = await lifecycle.start(() => {
    const created = createQueryApi({
      shards,
      postgres,
      secretSealer,
      watch,
      log,
      metrics: createMetrics('query-api', { standard: true }),
      provider: externalProviderOf(config),
      operatorToken: config.POPSVC_OPERATOR_TOKEN,
      allowedOrigins: config.CORS_ALLOW_ORIGINS,
      openedAddresses: config.WEBHOOK_ALLOW_CIDRS,
      historyDays: config.HISTORY_DAYS,
    });
    return [created, () => created.close()] as const;
  });
  const port = await server.listen({ port: config.QUERY_API_PORT, variable: 'QUERY_API_PORT' });
  log.info({ port }, 'service started');
  return { port };
});
