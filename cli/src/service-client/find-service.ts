import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '@popsvc/contracts/diagnostics';
import { z } from 'zod';
import { CliError } from '../output/cli-error.ts';

const WrittenByService = z.object({
  ops_base_url: z.string().optional(),
  ingest_base_url: z.string().optional(),
  query_base_url: z.string().optional(),
  token_url: z.string().optional(),
  operator_token: z.string().optional(),
  event_store: z.string().optional(),
  clickhouse: z.string().optional(),
  postgres: z.string().optional(),
});
type WrittenByService = z.output<typeof WrittenByService>;

/** `operatorToken` is in use unless the service was started with POPSVC_OPERATOR_TOKEN. */
const Secrets = z.object({ operatorToken: z.string().optional() });

/** Reading a property whose value is unknown or invalid throws a CliError. */
export interface ServiceLocation {
  readonly opsUrl: string;
  readonly ingestUrl: string;
  readonly queryUrl: string;
  readonly tokenUrl: string;
  readonly operatorToken: string;
  readonly engines: readonly { readonly name: Store; readonly address: string }[];
}

const readWrittenFile = async <Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return schema.parse({});
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new CliError(`${path} is not valid: start the service again to rewrite it, or delete it.`);
  }
};

const listEmbeddedEngines = (written: WrittenByService): ServiceLocation['engines'] =>
  (
    [
      ['event-store', written.event_store],
      ['clickhouse', written.clickhouse],
      ['postgresql', written.postgres],
    ] as const
  ).flatMap(([name, address]) => (address === undefined || address === 'external' ? [] : [{ name, address }]));

/** Environment variables take precedence over the files that a service on this machine writes to DATA_DIR. */
export const findService = async (env: NodeJS.ProcessEnv): Promise<ServiceLocation> => {
  const dataDir = env['DATA_DIR'] || '.data';
  const demo = await readWrittenFile(join(dataDir, 'demo-credentials.json'), WrittenByService);
  const endpoints = await readWrittenFile(join(dataDir, 'endpoints.json'), WrittenByService);
  const written: WrittenByService = { ...demo, ...endpoints };
  const secrets = await readWrittenFile(join(dataDir, 'secrets.json'), Secrets);
  const readValue = (variable: string, fallback: string | undefined, what: string): string => {
    const value = env[variable] || fallback;
    if (value) return value;
    throw new CliError(`${what} is unknown: set ${variable}, or DATA_DIR to the folder of a service on this machine.`);
  };
  const readUrl = (variable: string, fallback: string | undefined, what: string): string => {
    const value = readValue(variable, fallback, what).replace(/\/+$/, '');
    if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value;
    throw new CliError(
      `${what} must be an address such as http://localhost:8082, but ${variable} is ${JSON.stringify(value)}.`,
    );
  };
  const location: ServiceLocation = {
    get opsUrl() {
      return readUrl('POPSVC_OPS_URL', written.ops_base_url, 'The address of the operations server');
    },
    get ingestUrl() {
      return readUrl('POPSVC_INGEST_URL', written.ingest_base_url, 'The address of the ingestion server');
    },
    get queryUrl() {
      return readUrl('POPSVC_QUERY_URL', written.query_base_url, 'The address of the reporting server');
    },
    get tokenUrl() {
      const fallback = written.token_url ?? `${location.queryUrl}/oauth/token`;
      return readUrl('POPSVC_TOKEN_URL', fallback, 'The address of the token endpoint');
    },
    get operatorToken() {
      return readValue('POPSVC_OPERATOR_TOKEN', demo.operator_token ?? secrets.operatorToken, 'The operator token');
    },
    engines: listEmbeddedEngines(written),
  };
  return location;
};
