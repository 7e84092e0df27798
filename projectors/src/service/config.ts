import { address, databaseUrl, eventStoreUrl, logLevel, natsUrl, port, secret } from '@popsvc/platform/config';
import { z } from 'zod';

/** The environment of the projectors and their operations server. */
export const ProjectorsConfig = z.object({
  OPS_PORT: port(8082).describe('Port of the operations server; 0 means any free one.'),
  OPS_HOST: z.string().optional().describe('Address the operations server listens on; default all.'),
  EVENTSTORE_URL: eventStoreUrl().describe('EventStoreDB connection string.'),
  CLICKHOUSE_URL: address('http:', 'https:').describe('ClickHouse; the path is the database, default popsvc.'),
  CLICKHOUSE_USER: z
    .string()
    .default('popsvc_writer')
    .describe('May write, and create tables, views and dictionaries.'),
  CLICKHOUSE_PASSWORD: secret().describe('Its password.'),
  DATABASE_URL: databaseUrl().describe('PostgreSQL connection string.'),
  NATS_URL: natsUrl()
    .optional()
    .describe('NATS with JetStream, where the log is published; several addresses with commas. Unset: nowhere.'),
  POPSVC_OPERATOR_TOKEN: secret(16).describe('What operators present as a bearer token.'),
  POPSVC_INSTANCE: z
    .string()
    .max(100)
    .optional()
    .describe('Name under which leases are held; give each process its own. Default: host and process id.'),
  LOG_LEVEL: logLevel(),
});
export type ProjectorsConfig = z.output<typeof ProjectorsConfig>;
