import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createNatsPublisher } from '@popsvc/platform/message-bus';
import { readConfig } from '@popsvc/platform/config';
import { createEventStoreMetrics, openEventStore } from '@popsvc/platform/event-store';
import { listShardsOf, openAllShardsReader, openShardReaders, openShardWriters } from '@popsvc/platform/clickhouse';
import {
  createSecretSealer,
  migrate,
  openPostgres,
  requireSynchronousStandby,
  sealSecretsInClear,
} from '@popsvc/platform/postgres';
import { runProcess } from '@popsvc/platform/runtime';
import { createLog, createMetrics, startTracing } from '@popsvc/platform/telemetry';
import { createFleetReading, createOpsServer, createRegistryLog } from '@popsvc/ops-api/server';
import { createWebhookPost } from '@popsvc/platform/webhook-requests';
import { createDamageReporter, isReplicaReady, rejectUnreadableTables } from '@popsvc/read-models/generations';
import { logFollowers } from './projections/all.ts';
import { registerStoreMetrics } from './metrics/store-metrics.ts';
import { buildInBackground } from './engine/replay/background.ts';
import { clickHouseOf, ProjectorsConfig, surroundings, oidcOf } from './service/config.ts';
import { createProjectors } from './service/create-projectors.ts';
import { projectionShards } from './service/shards.ts';

await runProcess(async (life) => {
  const config = readConfig(ProjectorsConfig, process.env);
  const log = createLog('projectors', config.LOG_LEVEL);
  await life.start(async () => [undefined, await startTracing('popsvc-projectors', config, log)]);
  const metrics = createMetrics('projectors', { standard: true });
  const postgres = await life.start(() => {
    const pool = openPostgres({
      url: config.DATABASE_URL.reveal(),
      log,
      name: 'projectors',
      // Each partition of the four split projections needs a connection while it stores its checkpoint. Connections for half of them are
      // enough.
      connections: 3 + 2 * config.PROJECTION_PARTITIONS * listShardsOf(clickHouseOf(config)).length,
    });
    return [pool, () => pool.end()];
  });
  if (config.POSTGRES_REQUIRE_SYNC_STANDBY) await requireSynchronousStandby(postgres, log);
  await migrate(postgres);
  const secretSealer = createSecretSealer(config.POPSVC_ENCRYPTION_KEY.reveal());
  await sealSecretsInClear(postgres, secretSealer);
  const store = await life.start(() => {
    const opened = openEventStore({
      url: config.EVENTSTORE_URL.reveal(),
      log,
      metrics: createEventStoreMetrics(metrics),
    });
    return [opened, () => opened.close()];
  });
  const clickhouse = clickHouseOf(config);
  const writers = await life.start(() => {
    const opened = openShardWriters(clickhouse);
    return [
      opened,
      async () => {
        await Promise.all(opened.map((writer) => writer.close()));
      },
    ];
  });
  const reader = await life.start(() => {
    const opened = openAllShardsReader({ ...clickhouse, application: 'popsvc-ops', maxConnections: 8 }, isReplicaReady);
    return [opened, () => opened.close()];
  });
  const readers = await life.start(() => {
    const opened = openShardReaders({ ...clickhouse, application: 'popsvc-ops', maxConnections: 4 }, isReplicaReady);
    return [
      opened,
      async () => {
        await Promise.all(opened.map((each) => each.reader.close()));
      },
    ];
  });
  const natsUrl = config.NATS_URL?.reveal();
  const feed =
    natsUrl === undefined
      ? undefined
      : await life.start(() => {
          const opened = createNatsPublisher({ url: natsUrl, name: 'relay' });
          return [opened, () => opened.close()];
        });
  // Operations need a pool of their own: commits of projections that wait for a missing standby can occupy the whole other pool.
  const postgresOfOperations = await life.start(() => {
    const pool = openPostgres({ url: config.DATABASE_URL.reveal(), log, name: 'projectors-operations' });
    return [pool, () => pool.end()];
  });
  const checkedReaders = readers.map(({ shard, reader: unchecked }) => ({
    shard,
    reader: rejectUnreadableTables(unchecked, createDamageReporter(postgresOfOperations, log, [shard])),
  }));
  const postgresOfWebhooks = await life.start(() => {
    const pool = openPostgres({ url: config.DATABASE_URL.reveal(), log, name: 'projectors-webhooks' });
    return [pool, () => pool.end()];
  });
  const registryLog = createRegistryLog(store, log);
  const owner = config.POPSVC_INSTANCE ?? `${hostname()}-${process.pid}`;
  const { statusRegistry } = await life.start(async () => {
    const projectors = await createProjectors({
      store,
      writers,
      postgres,
      metrics,
      log,
      owner,
      partitions: config.PROJECTION_PARTITIONS,
      feed,
      keepMs: config.REPLAY_KEEP_HOURS * 3_600_000,
      derivedRowsPerDay: config.DERIVED_ROWS_PER_DAY,
      historyDays: config.HISTORY_DAYS,
      dataDir: config.DATA_DIR,
      webhooks: {
        postgres: postgresOfWebhooks,
        secretSealer,
        shards: checkedReaders,
        registryLog,
        readFleet: createFleetReading({ shards: checkedReaders, postgres: postgresOfWebhooks, registryLog, log }),
        thresholds: {
          reportFinalHours: config.REPORT_FINAL_HOURS,
          quarantineAlertRows: config.QUARANTINE_ALERT_ROWS,
          vendorSilentMinutes: config.VENDOR_SILENT_MINUTES,
        },
        post: createWebhookPost({ opened: config.WEBHOOK_ALLOW_CIDRS }),
      },
      buildInBackground: buildInBackground(process.env),
    });
    return [projectors, () => projectors.stop()];
  });
  const surrounding = surroundings(config);
  const shards = projectionShards(writers).map(({ writer, projections }, index) => ({
    writer,
    reader: readers[index]!.reader,
    declarations: projections,
  }));
  registerStoreMetrics({ metrics, postgres: postgresOfOperations, readers, writers, owner, ...surrounding });
  const operatorToken = config.POPSVC_OPERATOR_TOKEN;
  const around = { bus: feed && (() => feed.readStatus()), ...surrounding };
  const consoleFolder = fileURLToPath(new URL('../../console/dist/page', import.meta.url));
  const server = await life.start(() => {
    const ops = createOpsServer({
      store,
      shards,
      reader,
      postgres: postgresOfOperations,
      secretSealer,
      listRunningProjections: () => statusRegistry.statuses,
      followers: logFollowers,
      around,
      consoleFolder,
      fleetThresholds: {
        darkDevicesPercent: config.DARK_DEVICES_PERCENT,
        vendorSilentMinutes: config.VENDOR_SILENT_MINUTES,
      },
      openedAddresses: config.WEBHOOK_ALLOW_CIDRS,
      analystsUrl: config.ANALYSTS_URL ?? new URL(writers[0].server).origin,
      operatorToken,
      consoleOrigins: config.CONSOLE_ORIGINS,
      oidc: oidcOf(config),
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
