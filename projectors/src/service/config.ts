import type { DiagnosticsDependencies, ServiceEndpoint } from '@popsvc/ops-api/server';
import {
  databaseUrl,
  eventStoreUrl,
  logLevel,
  natsUrl,
  port,
  secret,
  tracingVariables,
  url,
  wholeNumber,
} from '@popsvc/platform/config';
import { z } from 'zod';
import { allProjections } from '../projections/all.ts';

const names: readonly string[] = allProjections.map(({ name }) => name);

/** Creates the schema for an environment variable that lists projection names, separated by commas. */
const projections = () =>
  z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.string().refine((name) => names.includes(name), `must be names out of ${names.join(', ')}`)));

/** Environment variables of the projectors and their operations server. */
export const ProjectorsConfig = z.object({
  OPS_PORT: port(8082).describe('Port of the operations server; 0 means any free one.'),
  OPS_HOST: z.string().optional().describe('Address the operations server listens on; default all.'),
  EVENTSTORE_URL: eventStoreUrl().describe('EventStoreDB connection string.'),
  CLICKHOUSE_URL: url('http:', 'https:').describe('ClickHouse; the path is the database, default popsvc.'),
  CLICKHOUSE_USER: z
    .string()
    .default('popsvc_writer')
    .describe('ClickHouse user that may write and create tables, views and dictionaries.'),
  CLICKHOUSE_PASSWORD: secret().describe('Password of CLICKHOUSE_USER.'),
  ANALYSTS_URL: url('http:', 'https:')
    .optional()
    .describe('ClickHouse address for analysts, returned with a new login. Default: CLICKHOUSE_URL.'),
  DATABASE_URL: databaseUrl().describe('PostgreSQL connection string.'),
  NATS_URL: natsUrl()
    .optional()
    .describe(
      'NATS with JetStream, to which the log is published; comma-separated addresses. Unset: the log is not published.',
    ),
  DATA_DIR: z
    .string()
    .optional()
    .describe(
      'Data folder of this machine, whose disk `popsvc doctor` checks. After a repair of the embedded event store in it, the facts of removed events are written to its folder `repaired`.',
    ),
  QUERY_API_URL: url('http:', 'https:').optional().describe('Address of query-api, for `popsvc doctor`.'),
  COMMAND_API_URL: url('http:', 'https:').optional().describe('Address of command-api, for `popsvc doctor`.'),
  WORKER_URL: url('http:', 'https:').optional().describe('Address of the bulk worker, for `popsvc doctor`.'),
  PROJECTIONS: projections()
    .optional()
    .describe('Comma-separated projections that this process runs. Unset: all that no other process runs.'),
  REPLAY_KEEP_HOURS: wholeNumber(0, 8_760)
    .default(24)
    .describe('How long the tables that were live before a replay are kept, for `popsvc projections rollback`.'),
  DERIVED_ROWS_PER_DAY: wholeNumber(1_000, 1_000_000_000_000)
    .default(200_000_000)
    .describe(
      'Rows of coffee that are derived for a network in a UTC day. Beyond it its facts are stored and its rows wait until the next day. Replays do not count.',
    ),
  POPSVC_OPERATOR_TOKEN: secret(16).describe('Bearer token of operators.'),
  POPSVC_INSTANCE: z
    .string()
    .max(100)
    .optional()
    .describe('Name of the lease holder, unique for each process. Default: host and process id.'),
  LOG_LEVEL: logLevel(),
  ...tracingVariables,
});
export type ProjectorsConfig = z.output<typeof ProjectorsConfig>;

const otherServices = [
  ['query-api', 'QUERY_API_URL'],
  ['command-api', 'COMMAND_API_URL'],
  ['worker', 'WORKER_URL'],
] as const;

/** Returns the data folders and the other processes that `popsvc doctor` checks. */
export const surroundings = (config: ProjectorsConfig): Pick<DiagnosticsDependencies, 'folders' | 'services'> => ({
  folders: config.DATA_DIR === undefined ? [] : [config.DATA_DIR],
  services: otherServices.flatMap(([name, variable]): ServiceEndpoint[] => {
    const url = config[variable];
    return url === undefined ? [] : [{ name, url, variable }];
  }),
});
