import { existsSync } from 'node:fs';
import { inspect } from 'node:util';
import { maxShards } from '@popsvc/domain/partitioning';
import { z } from 'zod';
// The index of event-store loads the client of EventStoreDB, which many processes do not use.
import { filesOf, InvalidConnectionString, parseConnectionString } from '../event-store/connection-string.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { parseAddressRanges } from '../webhook-requests/internal-addresses.ts';
import { logLevels } from '../telemetry/index.ts';

/** Logs, JSON and error messages do not show the value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

export const secret = (minLength = 1) =>
  z
    .string({ error: 'is not set' })
    .min(minLength, `is too short: it must have at least ${minLength} characters`)
    .transform((value) => new Secret(value));

const digits = z.string().regex(/^\d{1,15}$/, 'must be a whole number');

export const wholeNumber = (min: number, max: number) => digits.transform(Number).pipe(z.int().min(min).max(max));

export const port = (standard: number) => wholeNumber(0, 65_535).default(standard);

const isAddress = (protocols: readonly string[]) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

const eachIs = (protocols: readonly string[]) => (text: string) => text.split(',').every(isAddress(protocols));

export const url = (...protocols: string[]) =>
  z
    .string({ error: 'is not set' })
    .refine(isAddress(protocols), `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);

const secretAddress = (...protocols: string[]) => url(...protocols).pipe(secret());

const pathOf = (address: string): string => (URL.canParse(address) ? new URL(address).pathname : '');

/** Commas separate the URLs of the replicas of a shard, and semicolons separate shards. */
export const clickHouseUrl = () =>
  z
    .string({ error: 'is not set' })
    .refine(
      (text) => text.split(';').every(eachIs(['http:', 'https:'])),
      'must be addresses that begin with http:// or https://',
    )
    .refine(
      (text) => new Set(text.split(/[,;]/).map(pathOf)).size === 1,
      'must name the same database as the path of each address',
    )
    .refine((text) => text.split(';').length <= maxShards, `must name at most ${maxShards} shards`);

export const clickHouseCluster = () =>
  z
    .string()
    .regex(/^[a-zA-Z_]\w*$/, 'must be a name of letters, digits and underscores')
    .optional()
    .describe(
      'Name of the ClickHouse cluster whose shards and replicas CLICKHOUSE_URL lists. Tables are then replicated. Unset: a single server.',
    );

export const requireCluster = (
  {
    CLICKHOUSE_URL: urls,
    CLICKHOUSE_CLUSTER: cluster,
  }: { CLICKHOUSE_URL: string; CLICKHOUSE_CLUSTER?: string | undefined },
  context: z.RefinementCtx,
): void => {
  if (cluster === undefined && /[,;]/.test(urls))
    context.addIssue({
      code: 'custom',
      path: ['CLICKHOUSE_CLUSTER'],
      message: 'is not set; it names the cluster of the servers in CLICKHOUSE_URL',
    });
};

export const databaseUrl = () => secretAddress('postgres:', 'postgresql:');

export const encryptionKey = () =>
  secret(32).describe(
    'Encrypts the signing key and the secrets of webhooks in PostgreSQL; the same for projectors and query-api, and stored outside PostgreSQL.',
  );

export const requireSyncStandby = () =>
  z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe(
      'If true, the process starts only if commits in PostgreSQL wait for a standby, so that a fail-over loses none of them.',
    );

export const historyDays = () =>
  wholeNumber(1, 3_650)
    .default(35)
    .describe(
      'Days for which former rows of reports are kept, from when they were replaced: `as_of` reads a report of a time since then. The projectors delete older rows.',
    );

export const webhookAllowCidrs = () =>
  z
    .string()
    .default('')
    .transform((text, context) => {
      const ranges = parseAddressRanges(text);
      if (ranges) return ranges;
      context.addIssue({ code: 'custom', message: 'must be ranges of addresses such as 10.1.0.0/16, with commas' });
      return z.NEVER;
    })
    .describe(
      'Ranges of internal addresses to which webhooks may be posted, also by plain HTTP; comma-separated, such as `10.1.0.0/16`. Default: none.',
    );

const findConnectionStringError = (text: string): string | undefined => {
  try {
    const missing = filesOf(parseConnectionString(text)).find((path) => !existsSync(path));
    return missing === undefined ? undefined : `names a file that does not exist: ${missing}`;
  } catch (error) {
    if (error instanceof InvalidConnectionString) return error.message;
    throw error;
  }
};

/** One node, a comma-separated list of the nodes of a cluster, or a DNS name with `esdb+discover://`. */
export const eventStoreUrl = () =>
  z
    .string({ error: 'is not set' })
    .superRefine((text, context) => {
      const message = findConnectionStringError(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .pipe(secret());
export const natsUrl = () =>
  z
    .string()
    .refine(eachIs(['nats:', 'tls:']), 'must be addresses that begin with nats:// or tls://')
    .pipe(secret());

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;

export const originList = (about: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins like https://player.example.com, separated by commas, without a path or a slash at the end',
    )
    .optional()
    .describe(about);

export const corsAllowOrigins = () =>
  originList('Origins whose pages may use the API (CORS), separated by commas; unset: none.');

export const logLevel = () => z.enum(logLevels).default('info').describe('Lowest level that is logged.');

export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
}

/** An empty variable counts as unset, because docker compose and shells pass unset variables as empty. Throws ConfigError. */
export const readConfig = <Schema extends z.ZodType>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> => {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const read = schema.safeParse(set);
  if (read.success) return read.data;
  const lines = read.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new ConfigError(`The configuration is not usable:\n${lines.join('\n')}`);
};
