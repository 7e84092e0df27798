import {
  clickHouseCluster,
  clickHouseUrl,
  databaseUrl,
  encryptionKey,
  eventStoreUrl,
  logLevel,
  natsUrl,
  port,
  requireCluster,
  requireSyncStandby,
  secret,
  tracingVariables,
} from '@popsvc/platform/config';
import { requireAllS3Variables, objectVariables, uploadVariables } from '@popsvc/platform/object-storage';
import { z } from 'zod';

/** The event store, ClickHouse or PostgreSQL is external if its address is set, and embedded if not. */
export const StartConfig = z
  .object({
    ...objectVariables,
    ...uploadVariables,
    DATA_DIR: z
      .string()
      .default('./.data')
      .describe(
        'Folder for the data of the embedded engines, uploaded files, addresses and credentials; its format is in popsvc-data.json.',
      ),
    QUERY_API_PORT: port(8080).describe('Port of the reporting endpoints; 0 means any free one.'),
    COMMAND_API_PORT: port(8081).describe('Port of the ingestion endpoints; 0 means any free one.'),
    OPS_PORT: port(8082).describe('Port of the operations server; 0 means any free one.'),
    WORKER_HOST: z
      .string()
      .default('127.0.0.1')
      .describe('Address the bulk worker listens on for its probes and metrics.'),
    WORKER_PORT: port(0).describe('Port of the bulk worker for its probes and metrics; default: any free one.'),
    EVENTSTORE_URL: eventStoreUrl()
      .optional()
      .describe(
        'Connection string of EventStoreDB: a node, the nodes of a cluster with commas, or a DNS name with `esdb+discover://`. Unset: embedded.',
      ),
    CLICKHOUSE_URL: clickHouseUrl()
      .optional()
      .describe(
        'ClickHouse; the path is the database, default popsvc. Replicas of a cluster are separated by commas, its shards by semicolons. Unset: embedded.',
      ),
    CLICKHOUSE_CLUSTER: clickHouseCluster(),
    CLICKHOUSE_USER: z
      .string()
      .optional()
      .describe('User of the external ClickHouse; required when CLICKHOUSE_URL is set.'),
    CLICKHOUSE_PASSWORD: secret()
      .optional()
      .describe('Password of the external ClickHouse; required when CLICKHOUSE_URL is set.'),
    DATABASE_URL: databaseUrl().optional().describe('PostgreSQL connection string; unset: embedded.'),
    POSTGRES_REQUIRE_SYNC_STANDBY: requireSyncStandby(),
    NATS_URL: natsUrl()
      .optional()
      .describe(
        'NATS with JetStream, to which the log is published; several addresses with commas. Unset: the log is not published.',
      ),
    POPSVC_OPERATOR_TOKEN: secret(16)
      .optional()
      .describe('Token of operators; required when DATABASE_URL is set, otherwise created at the first start.'),
    POPSVC_ENCRYPTION_KEY: encryptionKey()
      .optional()
      .describe(
        'Encrypts the signing key and the secrets of webhooks in PostgreSQL; required when DATABASE_URL is set, otherwise created at the first start.',
      ),
    EMBEDDED_EVENTSTORE_PORT: port(2113).describe(
      'Port of the embedded event store, on loopback; 0 means any free one.',
    ),
    EMBEDDED_CLICKHOUSE_PORT: port(8123).describe(
      'Port of the embedded ClickHouse, on loopback; 0 means any free one.',
    ),
    EMBEDDED_ANALYSTS_PORT: port(8124).describe(
      'Port for the queries of analysts to the embedded ClickHouse, on loopback; 0 means any free one.',
    ),
    EMBEDDED_POSTGRES_PORT: port(54329).describe('Port of the embedded PostgreSQL, on loopback; 0 means any free one.'),
    SEED_DEMO: z
      .enum(['0', '1'])
      .transform((value) => value === '1')
      .optional()
      .describe(
        'Whether the first start registers the demo network, which is network 1: 0 never, 1 always. Unset: if the event store and PostgreSQL are embedded.',
      ),
    LOG_LEVEL: logLevel().default('warn').describe('Lowest level that is logged.'),
    ...tracingVariables,
  })
  .superRefine(requireAllS3Variables)
  .superRefine((config, context) => {
    const requireWith = (name: keyof typeof config, other: string) => {
      if (config[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: `must be set when ${other} is` });
    };
    if (config.DATABASE_URL)
      for (const name of ['POPSVC_OPERATOR_TOKEN', 'POPSVC_ENCRYPTION_KEY'] as const) requireWith(name, 'DATABASE_URL');
    if (config.POSTGRES_REQUIRE_SYNC_STANDBY) requireWith('DATABASE_URL', 'POSTGRES_REQUIRE_SYNC_STANDBY');
    if (config.CLICKHOUSE_URL !== undefined) {
      requireCluster({ ...config, CLICKHOUSE_URL: config.CLICKHOUSE_URL }, context);
      requireWith('CLICKHOUSE_USER', 'CLICKHOUSE_URL');
      requireWith('CLICKHOUSE_PASSWORD', 'CLICKHOUSE_URL');
    }
  });
export type StartConfig = z.output<typeof StartConfig>;
