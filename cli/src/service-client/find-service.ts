import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../program/failure.ts';

const Known = z.object({
  ops_base_url: z.string().optional(),
  ingest_base_url: z.string().optional(),
  query_base_url: z.string().optional(),
  token_url: z.string().optional(),
  operator_token: z.string().optional(),
  event_store: z.string().optional(),
  clickhouse: z.string().optional(),
  postgres: z.string().optional(),
});
type Known = z.output<typeof Known>;

/** Where the service is, and the operator's token. Asking for what nobody has told is a Failure that says how to tell it. */
export interface Service {
  readonly opsUrl: string;
  readonly ingestUrl: string;
  readonly queryUrl: string;
  readonly tokenUrl: string;
  readonly operatorToken: string;
  /** Those embedded on this machine, with where they listen. */
  readonly engines: readonly { readonly name: string; readonly address: string }[];
}

const readKnown = async (path: string): Promise<Known> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Failure(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return Known.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${path} is not what the service writes there.`);
  }
};

const embeddedEngines = (known: Known): Service['engines'] =>
  (
    [
      ['event store', known.event_store],
      ['clickhouse', known.clickhouse],
      ['postgresql', known.postgres],
    ] as const
  ).flatMap(([name, address]) => (address === undefined || address === 'external' ? [] : [{ name, address }]));

/** What the environment says, else what a service on this machine has written down under DATA_DIR. */
export const findService = async (env: NodeJS.ProcessEnv): Promise<Service> => {
  const dataDir = env['DATA_DIR'] || '.data';
  const demo = await readKnown(join(dataDir, 'demo-credentials.json'));
  const known: Known = { ...demo, ...(await readKnown(join(dataDir, 'endpoints.json'))) };
  const found = (variable: string, told: string | undefined, what: string): string => {
    const value = env[variable] || told;
    if (value) return value.replace(/\/+$/, '');
    throw new Failure(`${what} is not known: set ${variable}, or DATA_DIR to the folder of a service on this machine.`);
  };
  const address = (variable: string, told: string | undefined, what: string): string => {
    const value = found(variable, told, what);
    if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value;
    throw new Failure(
      `${what} is an address such as http://localhost:8082, and ${variable} has ${JSON.stringify(value)}.`,
    );
  };
  const service: Service = {
    get opsUrl() {
      return address('POPSVC_OPS_URL', known.ops_base_url, 'The address of the operations server');
    },
    get ingestUrl() {
      return address('POPSVC_INGEST_URL', known.ingest_base_url, 'The address of the ingestion server');
    },
    get queryUrl() {
      return address('POPSVC_QUERY_URL', known.query_base_url, 'The address of the reporting server');
    },
    get tokenUrl() {
      return address('POPSVC_TOKEN_URL', known.token_url ?? `${service.queryUrl}/oauth/token`, 'The token endpoint');
    },
    get operatorToken() {
      return found('POPSVC_OPERATOR_TOKEN', demo.operator_token, 'The operator token');
    },
    engines: embeddedEngines(known),
  };
  return service;
};
