import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createNatsPublisher } from '@popsvc/platform/message-bus';
import { readConfig } from '@popsvc/platform/config';
import { createEventStoreMetrics, openEventStore } from '@popsvc/platform/event-store';
import { openClickHouseReader, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { migrate, openPostgres } from '@popsvc/platform/postgres';
import { runProcess } from '@popsvc/platform/runtime';
import { createLog, createMetrics, startTracing } from '@popsvc/platform/telemetry';
import { createOpsServer } from '@popsvc/ops-api/server';
import { allProjections, logFollowers } from './projections/all.ts';
import { registerStoreMetrics } from './metrics/index.ts';
import { buildInBackground, countInBackground } from './engine/replay/background.ts';
import { ProjectorsConfig, surroundings } from './service/config.ts';
import { createProjectors } from './service/create-projectors.ts';

await runProcess(async (life) => {
  const config = readConfig(ProjectorsConfig, process.env);
  const log = createLog('projectors', config.LOG_LEVEL);
  await life.start(async () => [undefined, await startTracing('popsvc-projectors', config, log)]);
  const metrics = createMetrics('projectors', { standard: true });
  const postgres = await life.start(() => {
    const pool = openPostgres({ url: config.DATABASE_URL.reveal(), log, name: 'projectors' });
    return [pool, () => pool.end()];
  });
  await migrate(postgres);
  const store = await life.start(() => {
    const opened = openEventStore({
      url: config.EVENTSTORE_URL.reveal(),
      log,
      metrics: createEventStoreMetrics(metrics),
    });
    return [opened, () => opened.close()];
  });
  const clickhouse = {
    url: config.CLICKHOUSE_URL,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD.reveal(),
  };
  const writer = await life.start(() => {
    const opened = openClickHouseWriter(clickhouse);
    return [opened, () => opened.close()];
  });
  const reader = await life.start(() => {
    const opened = openClickHouseReader({ ...clickhouse, application: 'popsvc-ops', maxConnections: 8 });
    return [opened, () => opened.close()];
  });
  const natsUrl = config.NATS_URL?.reveal();
  const feed =
    natsUrl === undefined
      ? undefined
      : await life.start(() => {
          const opened = createNatsPublisher({ url: natsUrl, name: 'relay' });
          return [opened, () => opened.close()];
        });
  const owner = config.POPSVC_INSTANCE ?? `${hostname()}-${process.pid}`;
  const { statusRegistry } = await life.start(async () => {
    const projectors = await createProjectors({
      store,
      writer,
      postgres,
      metrics,
      log,
      owner,
      own: config.PROJECTIONS,
      feed,
      keepMs: config.REPLAY_KEEP_HOURS * 3_600_000,
      derivedRowsPerDay: config.DERIVED_ROWS_PER_DAY,
      dataDir: config.DATA_DIR,
      buildInBackground: buildInBackground(process.env),
      countInBackground: countInBackground(process.env),
    });
    return [projectors, () => projectors.stop()];
  });
  registerStoreMetrics({ metrics, postgres, reader, writer, owner, folders: surroundings(config).folders });
  const operatorToken = config.POPSVC_OPERATOR_TOKEN;
  const around = { bus: feed && (() => feed.readStatus()), ...surroundings(config) };
  // The console is another package; only its build output is used here.
  const consoleFolder = fileURLToPath(new URL('../../console/dist/page', import.meta.url));
  const server = await life.start(() => {
    const ops = createOpsServer({
      store,
      writer,
      reader,
      postgres,
      listRunningProjections: () => statusRegistry.statuses,
      declarations: allProjections,
      followers: logFollowers,
      around,
      consoleFolder,
      analystsUrl: config.ANALYSTS_URL ?? new URL(config.CLICKHOUSE_URL).origin,
      operatorToken,
      metrics,
      log,
    });
    return [ops, () => ops.close()];
  });
  const host = config.OPS_HOST;
  const port = await server.listen({
    port: config.OPS_PORT,
    variable: 'OPS_PORT',
    ...(host !== undefined && { host }),
  });
  return { port };
});
