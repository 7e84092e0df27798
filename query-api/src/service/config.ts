import { databaseUrl, logLevel, port, secret, tracingVariables, url } from '@popsvc/platform/config';
import { z } from 'zod';

const provider = ['AUTH_ISSUER', 'AUTH_JWKS_URL', 'AUTH_AUDIENCE'] as const;

/** The environment of the reporting service. */
export const QueryApiConfig = z
  .object({
    QUERY_API_PORT: port(8080).describe('Port of the reporting endpoints; 0 is any free one.'),
    CLICKHOUSE_URL: url('http:', 'https:').describe('ClickHouse; the path is the database.'),
    CLICKHOUSE_USER: z.string({ error: 'is not set' }).min(1).describe('Reader of ClickHouse.'),
    CLICKHOUSE_PASSWORD: secret().describe('Its password.'),
    DATABASE_URL: databaseUrl().describe('PostgreSQL.'),
    POPSVC_OPERATOR_TOKEN: secret().optional().describe('Lets the operator read /metrics from elsewhere.'),
    AUTH_ISSUER: z.string().min(1).optional().describe('Issuer of tokens; unset: the built-in identity provider.'),
    AUTH_JWKS_URL: url('https:', 'http:').optional().describe('Where that issuer shows its public keys.'),
    AUTH_AUDIENCE: z.string().min(1).optional().describe('Audience of tokens for this service.'),
    LOG_LEVEL: logLevel(),
    ...tracingVariables,
  })
  .superRefine((config, context) => {
    const missing = provider.filter((name) => config[name] === undefined);
    if (missing.length === provider.length) return;
    for (const name of missing)
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `is not set, though ${provider.join(', ')} go together`,
      });
  });
export type QueryApiConfig = z.output<typeof QueryApiConfig>;
