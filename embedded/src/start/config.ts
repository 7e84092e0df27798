import { address, databaseUrl, eventStoreUrl, logLevel, port, secret } from '@popsvc/platform/config';
import { z } from 'zod';

/** The environment of `npm start`. An engine whose address is given is external, the others are embedded. */
export const StartConfig = z
  .object({
    DATA_DIR: z.string().default('./.data').describe('Where the embedded engines keep their data.'),
    QUERY_API_PORT: port(8080),
    COMMAND_API_PORT: port(8081),
    OPS_PORT: port(8082),
    EVENTSTORE_URL: eventStoreUrl().optional(),
    CLICKHOUSE_URL: address('http:', 'https:').optional(),
    CLICKHOUSE_USER: z.string().optional(),
    CLICKHOUSE_PASSWORD: secret().optional(),
    DATABASE_URL: databaseUrl().optional(),
    POPSVC_OPERATOR_TOKEN: secret(16).optional(),
    EMBEDDED_EVENTSTORE_PORT: port(2113),
    EMBEDDED_CLICKHOUSE_PORT: port(8123),
    EMBEDDED_POSTGRES_PORT: port(54329),
    LOG_LEVEL: logLevel().default('warn'),
  })
  .superRefine((config, context) => {
    const need = (name: keyof typeof config, when: string) => {
      if (config[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: `must be set when ${when} is` });
    };
    if (config.DATABASE_URL) need('POPSVC_OPERATOR_TOKEN', 'DATABASE_URL');
    if (config.CLICKHOUSE_URL !== undefined) {
      need('CLICKHOUSE_USER', 'CLICKHOUSE_URL');
      need('CLICKHOUSE_PASSWORD', 'CLICKHOUSE_URL');
    }
  });
export type StartConfig = z.output<typeof StartConfig>;
