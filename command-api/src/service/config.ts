import {
  corsAllowOrigins,
  databaseUrl,
  eventStoreUrl,
  logLevel,
  port,
  requireSyncStandby,
  secret,
  tracingVariables,
  url,
  wholeNumber,
} from '@popsvc/platform/config';
import { objectVariables, requireAllS3Variables, uploadVariables } from '@popsvc/platform/object-storage';
import { z } from 'zod';

export const CommandApiConfig = z
  .object({
    COMMAND_API_PORT: port(8081).describe('Port to listen on; 0 means any free one.'),
    EVENTSTORE_URL: eventStoreUrl().describe(
      'Connection string of EventStoreDB: a node, the nodes of a cluster with commas, or a DNS name with `esdb+discover://`.',
    ),
    DATABASE_URL: databaseUrl().describe('URL of PostgreSQL.'),
    POSTGRES_REQUIRE_SYNC_STANDBY: requireSyncStandby(),
    QUERY_API_URL: url('http:', 'https:')
      .default('http://localhost:8080')
      .describe('URL of query-api; requests of vendors for what they have sent are forwarded to it.'),
    POPSVC_OPERATOR_TOKEN: secret(16).describe('Lets the operator read metrics from other machines.'),
    MAX_EVENT_AGE_DAYS: wholeNumber(1, 36_500).optional().describe('Older events are rejected; unset: no limit.'),
    ...uploadVariables,
    ...objectVariables,
    CORS_ALLOW_ORIGINS: corsAllowOrigins(),
    LOG_LEVEL: logLevel(),
    ...tracingVariables,
  })
  .superRefine(requireAllS3Variables)
  .superRefine(({ UPLOAD_SIGNING_KEY, S3_ENDPOINT }, context) => {
    if (UPLOAD_SIGNING_KEY !== undefined || S3_ENDPOINT !== undefined) return;
    const message = 'is not set, and neither is S3_ENDPOINT; set one of them';
    context.addIssue({ code: 'custom', path: ['UPLOAD_SIGNING_KEY'], message });
  });
export type CommandApiConfig = z.output<typeof CommandApiConfig>;
