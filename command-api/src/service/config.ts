import {
  databaseUrl,
  eventStoreUrl,
  logLevel,
  port,
  secret,
  tracingVariables,
  url,
  wholeNumber,
} from '@popsvc/platform/config';
import { objectVariables, requireAllS3Variables, uploadVariables } from '@popsvc/platform/object-storage';
import { z } from 'zod';

/** The environment variables of command-api. */
export const CommandApiConfig = z
  .object({
    COMMAND_API_PORT: port(8081).describe('Port to listen on; 0 means any free one.'),
    EVENTSTORE_URL: eventStoreUrl().describe('Connection string of EventStoreDB.'),
    DATABASE_URL: databaseUrl().describe('URL of PostgreSQL.'),
    QUERY_API_URL: url('http:', 'https:')
      .default('http://localhost:8080')
      .describe('URL of query-api; requests for the status of an event are forwarded to it.'),
    POPSVC_OPERATOR_TOKEN: secret(16).describe('Lets the operator read metrics from other machines.'),
    MAX_EVENT_AGE_DAYS: wholeNumber(1, 36_500).optional().describe('Older events are rejected; unset: no limit.'),
    ...uploadVariables,
    ...objectVariables,
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
