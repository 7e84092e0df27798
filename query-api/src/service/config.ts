import type { ExternalIdentityProvider } from '@popsvc/http-kit/auth/tokens';
import {
  clickHouseCluster,
  clickHouseUrl,
  corsAllowOrigins,
  databaseUrl,
  encryptionKey,
  historyDays,
  logLevel,
  port,
  requireCluster,
  requireSyncStandby,
  secret,
  tracingVariables,
  url,
  webhookAllowCidrs,
} from '@popsvc/platform/config';
import { z } from 'zod';

const providerVariables = ['AUTH_ISSUER', 'AUTH_JWKS_URL', 'AUTH_AUDIENCE'] as const;

export const QueryApiConfig = z
  .object({
    QUERY_API_PORT: port(8080).describe('Port of the reporting endpoints; 0 selects a free port.'),
    CLICKHOUSE_URL: clickHouseUrl().describe(
      'ClickHouse; the path is the database. Replicas of a cluster are separated by commas, its shards by semicolons.',
    ),
    CLICKHOUSE_CLUSTER: clickHouseCluster(),
    CLICKHOUSE_USER: z.string({ error: 'is not set' }).min(1).describe('User that reads from ClickHouse.'),
    CLICKHOUSE_PASSWORD: secret().describe('Its password.'),
    DATABASE_URL: databaseUrl().describe('PostgreSQL.'),
    POSTGRES_REQUIRE_SYNC_STANDBY: requireSyncStandby(),
    POPSVC_ENCRYPTION_KEY: encryptionKey(),
    POPSVC_OPERATOR_TOKEN: secret().optional().describe('Allows operators to read /metrics from other hosts.'),
    AUTH_ISSUER: z.string().min(1).optional().describe('Issuer of tokens; unset: the built-in identity provider.'),
    AUTH_JWKS_URL: url('https:', 'http:').optional().describe('URL of the public keys of that issuer.'),
    AUTH_AUDIENCE: z.string().min(1).optional().describe('Audience of tokens for this service.'),
    CORS_ALLOW_ORIGINS: corsAllowOrigins(),
    HISTORY_DAYS: historyDays(),
    WEBHOOK_ALLOW_CIDRS: webhookAllowCidrs(),
    LOG_LEVEL: logLevel(),
    ...tracingVariables,
  })
  .superRefine((config, context) => {
    requireCluster(config, context);
    const missing = providerVariables.filter((name) => config[name] === undefined);
    if (missing.length === providerVariables.length) return;
    for (const name of missing)
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `is not set; ${providerVariables.join(', ')} must be set together`,
      });
  });
export type QueryApiConfig = z.output<typeof QueryApiConfig>;

/** Undefined if the built-in provider is used. */
export const externalProviderOf = (config: QueryApiConfig): ExternalIdentityProvider | undefined => {
  const { AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl, AUTH_AUDIENCE: audience } = config;
  return issuer !== undefined && jwksUrl !== undefined && audience !== undefined
    ? { issuer, jwksUrl, audience }
    : undefined;
};
