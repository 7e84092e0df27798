import { maxPartitions, maxPartitionsOf } from '@popsvc/domain/partitioning';
import type { DiagnosticsDependencies, ServiceEndpoint } from '@popsvc/ops-api/server';
import { isSafeIssuer, type OidcOptions } from '@popsvc/http-kit/auth';
import { listShardsOf } from '@popsvc/platform/clickhouse';
import {
  clickHouseCluster,
  clickHouseUrl,
  databaseUrl,
  encryptionKey,
  eventStoreUrl,
  logLevel,
  originList,
  natsUrl,
  port,
  requireCluster,
  requireSyncStandby,
  secret,
  tracingVariables,
  url,
  historyDays,
  webhookAllowCidrs,
  wholeNumber,
} from '@popsvc/platform/config';
import { z } from 'zod';

export const ProjectorsConfig = z
  .object({
    OPS_PORT: port(8082).describe('Port of the operations server; 0 means any free one.'),
    OPS_HOST: z.string().optional().describe('Address the operations server listens on; default all.'),
    EVENTSTORE_URL: eventStoreUrl().describe(
      'Connection string of EventStoreDB: a node, the nodes of a cluster with commas, or a DNS name with `esdb+discover://`.',
    ),
    CLICKHOUSE_URL: clickHouseUrl().describe(
      'ClickHouse; the path is the database, default popsvc. Replicas of a cluster are separated by commas, its shards by semicolons.',
    ),
    CLICKHOUSE_CLUSTER: clickHouseCluster(),
    CLICKHOUSE_USER: z
      .string()
      .default('popsvc_writer')
      .describe('ClickHouse user that may write and create tables, views and dictionaries.'),
    CLICKHOUSE_PASSWORD: secret().describe('Password of CLICKHOUSE_USER.'),
    ANALYSTS_URL: url('http:', 'https:')
      .optional()
      .describe('ClickHouse address for analysts, returned with a new login. Default: CLICKHOUSE_URL.'),
    DATABASE_URL: databaseUrl().describe('PostgreSQL connection string.'),
    POSTGRES_REQUIRE_SYNC_STANDBY: requireSyncStandby(),
    POPSVC_ENCRYPTION_KEY: encryptionKey(),
    NATS_URL: natsUrl()
      .optional()
      .describe(
        'NATS with JetStream, to which the log is published; comma-separated addresses. Unset: the log is not published.',
      ),
    DATA_DIR: z
      .string()
      .optional()
      .describe(
        'Data folder of this machine, whose disk `popsvc doctor` checks. Contains the list of repairs of the embedded event store.',
      ),
    QUERY_API_URL: url('http:', 'https:').optional().describe('Address of query-api, for `popsvc doctor`.'),
    COMMAND_API_URL: url('http:', 'https:').optional().describe('Address of command-api, for `popsvc doctor`.'),
    WORKER_URL: url('http:', 'https:').optional().describe('Address of the bulk worker, for `popsvc doctor`.'),
    PROJECTION_PARTITIONS: wholeNumber(1, maxPartitions)
      .default(1)
      .describe(
        'Number of partitions, by network, of coffee, watcher-summary, uptime and status in each shard of ClickHouse. Several processes share the partitions. The first start records the number. To change it, stop all processes of projectors.',
      ),
    REPLAY_KEEP_HOURS: wholeNumber(0, 8_760)
      .default(24)
      .describe('How long the tables that were live before a replay are kept, for `popsvc projections rollback`.'),
    DERIVED_ROWS_PER_DAY: wholeNumber(1_000, 1_000_000_000_000)
      .default(200_000_000)
      .describe(
        'Rows of coffee that are derived for a network in a UTC day. Beyond it its facts are stored and its rows wait until the next day. Replays and the first filling of tables do not count.',
      ),
    DARK_DEVICES_PERCENT: wholeNumber(1, 100)
      .default(20)
      .describe(
        'Share of the devices at open sites of a network or a site, in percent, whose outage the check `devices` reports.',
      ),
    VENDOR_SILENT_MINUTES: wholeNumber(15, 1_440)
      .default(120)
      .describe(
        'Opening hours without plays of a vendor, or without any data of a network, that the check `flow` and the notice `vendor.silent` report.',
      ),
    REPORT_FINAL_HOURS: wholeNumber(0, 8_760)
      .default(72)
      .describe('Hours after the end of a UTC day after which the notice `report_day.final` reports it as final.'),
    QUARANTINE_ALERT_ROWS: wholeNumber(1, 1_000_000_000)
      .default(1_000)
      .describe(
        'Events and rows of a vendor, received in one hour, beyond which the notice `quarantine.growing` reports that they wait in quarantine.',
      ),
    HISTORY_DAYS: historyDays(),
    WEBHOOK_ALLOW_CIDRS: webhookAllowCidrs(),
    POPSVC_OPERATOR_TOKEN: secret(16).describe('Bearer token of operators.'),
    CONSOLE_ORIGINS: originList(
      'Origins of the console as browsers see it, separated by commas. Needed only if it is used without TLS from another machine, where browsers do not say from which page a request comes.',
    ),
    CONSOLE_OIDC_ISSUER: url('http:', 'https:')
      .refine(isSafeIssuer, 'must be an https:// address, or one on this machine')
      .optional()
      .describe(
        'Issuer of the OpenID provider with which operators sign in to the console. Unset: accounts and the operator token.',
      ),
    CONSOLE_OIDC_CLIENT_ID: z.string().min(1).optional().describe('Client id of the console at the OpenID provider.'),
    CONSOLE_OIDC_CLIENT_SECRET: secret().optional().describe('Secret of this client.'),
    CONSOLE_OIDC_ROLE_CLAIM: z
      .string()
      .min(1)
      .default('role')
      .describe('Claim that names the role: `viewer`, `operator` or `admin`, or a list that contains it.'),
    POPSVC_INSTANCE: z
      .string()
      .max(100)
      .optional()
      .describe('Name of the lease holder, unique for each process. Default: host and process id.'),
    LOG_LEVEL: logLevel(),
    ...tracingVariables,
  })
  .superRefine((config, context) => {
    requireCluster(config, context);
    if (config.CONSOLE_OIDC_ISSUER !== undefined)
      for (const variable of ['CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET'] as const)
        if (config[variable] === undefined)
          context.addIssue({ code: 'custom', path: [variable], message: 'is required with CONSOLE_OIDC_ISSUER' });
    const shards = listShardsOf({ url: config.CLICKHOUSE_URL }).length;
    if (config.PROJECTION_PARTITIONS > maxPartitionsOf(shards))
      context.addIssue({
        code: 'custom',
        path: ['PROJECTION_PARTITIONS'],
        message: `must be at most ${maxPartitionsOf(shards)} with ${shards} shards of ClickHouse`,
      });
  });
export type ProjectorsConfig = z.output<typeof ProjectorsConfig>;

export const clickHouseOf = (config: ProjectorsConfig) => ({
  url: config.CLICKHOUSE_URL,
  cluster: config.CLICKHOUSE_CLUSTER,
  username: config.CLICKHOUSE_USER,
  password: config.CLICKHOUSE_PASSWORD.reveal(),
});

export const oidcOf = (config: ProjectorsConfig): OidcOptions | undefined => {
  const {
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: clientId,
    CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
  } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret, roleClaim: config.CONSOLE_OIDC_ROLE_CLAIM };
};

const otherServices = [
  ['query-api', 'QUERY_API_URL'],
  ['command-api', 'COMMAND_API_URL'],
  ['worker', 'WORKER_URL'],
] as const;

export const surroundings = (
  config: ProjectorsConfig,
): Pick<DiagnosticsDependencies, 'requireSyncStandby' | 'folders' | 'services'> => ({
  requireSyncStandby: config.POSTGRES_REQUIRE_SYNC_STANDBY,
  folders: config.DATA_DIR === undefined ? [] : [config.DATA_DIR],
  services: otherServices.flatMap(([name, variable]): ServiceEndpoint[] => {
    const url = config[variable];
    return url === undefined ? [] : [{ name, url, variable }];
  }),
});
