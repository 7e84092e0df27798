import {
  databaseUrl,
  eventStoreUrl,
  logLevel,
  port,
  requireSyncStandby,
  secret,
  tracingVariables,
  wholeNumber,
} from '@popsvc/platform/config';
import { objectVariables, requireAllS3Variables } from '@popsvc/platform/object-storage';
import { z } from 'zod';

export const WorkerConfig = z
  .object({
    WORKER_PORT: port(8083).describe('Port of the bulk worker for probes and metrics; 0 means any free one.'),
    WORKER_HOST: z.string().optional().describe('Address the bulk worker listens on; default all.'),
    WORKER_JOBS: wholeNumber(1, 16)
      .default(6)
      .describe(
        'Maximum number of bulk jobs with files over 1 MiB that one worker runs at a time, in turns; a network has at most half of them.',
      ),
    EVENTSTORE_URL: eventStoreUrl().describe(
      'Connection string of EventStoreDB: a node, the nodes of a cluster with commas, or a DNS name with `esdb+discover://`.',
    ),
    DATABASE_URL: databaseUrl().describe('URL of PostgreSQL.'),
    POSTGRES_REQUIRE_SYNC_STANDBY: requireSyncStandby(),
    ...objectVariables,
    POPSVC_OPERATOR_TOKEN: secret(16).describe('Lets the operator read metrics from other machines.'),
    POPSVC_INSTANCE: z
      .string()
      .max(100)
      .optional()
      .describe('Name under which this process holds jobs; unique for each process. Default: host and process id.'),
    LOG_LEVEL: logLevel(),
    ...tracingVariables,
  })
  .superRefine(requireAllS3Variables);
export type WorkerConfig = z.output<typeof WorkerConfig>;
