import {
  databaseUrl,
  eventStoreUrl,
  logLevel,
  natsUrl,
  port,
  secret,
  tracingVariables,
  wholeNumber,
} from '@popsvc/platform/config';
import { requireAllS3Variables, objectVariables } from '@popsvc/platform/object-storage';
import { z } from 'zod';

/** The environment of the bulk worker. */
export const WorkerConfig = z
  .object({
    WORKER_PORT: port(8083).describe('Port on which the bulk worker says that it is ready; 0 means any free one.'),
    WORKER_JOBS: wholeNumber(1, 16).default(1).describe('How many bulk jobs one worker works on at a time.'),
    EVENTSTORE_URL: eventStoreUrl().describe('Connection string of EventStoreDB.'),
    DATABASE_URL: databaseUrl().describe('Address of PostgreSQL.'),
    NATS_URL: natsUrl()
      .optional()
      .describe('NATS with JetStream, which brings jobs at once; unset: the log brings them.'),
    ...objectVariables,
    POPSVC_OPERATOR_TOKEN: secret(16).describe('Lets the operator read figures from other machines.'),
    POPSVC_INSTANCE: z
      .string()
      .max(100)
      .optional()
      .describe('Name under which jobs are held; give each process its own. Default: host and process id.'),
    LOG_LEVEL: logLevel(),
    ...tracingVariables,
  })
  .superRefine(requireAllS3Variables);
export type WorkerConfig = z.output<typeof WorkerConfig>;
