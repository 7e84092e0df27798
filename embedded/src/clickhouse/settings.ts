import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ProcessOptions } from '../supervisor/supervised-process.ts';
import { clickHouseRoles, type ClickHouseRole, type ClickHouseUser } from './roles.ts';
import { explainStartFailure } from './table-files.ts';

const clickHouseEntry = fileURLToPath(new URL('./main.js', import.meta.url));

export interface ClickHouseSettings {
  /** Only one engine may use the folder at a time. */
  readonly dir: string;
  /** Port on loopback; 0 chooses any free port. */
  readonly port: number;
  readonly users: readonly ClickHouseUser[];
  /** Port on loopback; 0 chooses any free port. Default: no proxy. */
  readonly analystsPort?: number;
  /** Default: a quarter of the machine's memory, at least 1 and at most 4 GiB. */
  readonly maxMemoryBytes?: number;
}

export interface ReadSettings extends Required<Omit<ClickHouseSettings, 'analystsPort'>> {
  readonly analystsPort: number | undefined;
}

const GIB = 1024 ** 3;
const defaultMemoryBytes = (): number => Math.min(4 * GIB, Math.max(GIB, Math.floor(totalmem() / 4)));

const userFields = {
  // The name becomes an XML element of the engine's users file.
  name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'a name consists of lower-case letters, digits and underscores'),
  role: z.enum(Object.keys(clickHouseRoles) as [ClickHouseRole, ...ClickHouseRole[]]),
};

const usersSchema = z
  .array(
    z.union([
      z.strictObject({ ...userFields, password: z.string().min(1) }),
      z.strictObject({ ...userFields, passwordSha256Hex: z.string().regex(/^[0-9a-f]{64}$/) }),
    ]),
  )
  .min(1)
  .refine((users) => users.every(({ name }) => name !== 'default'), 'the name default is reserved for the engine');

const envSchema = z.object({
  EMBEDDED_CLICKHOUSE_DIR: z.string().min(1),
  EMBEDDED_CLICKHOUSE_PORT: z.coerce.number().int().min(0).max(65_535).default(8123),
  EMBEDDED_ANALYSTS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  EMBEDDED_CLICKHOUSE_USERS: z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('is not JSON');
        return z.NEVER;
      }
    })
    .pipe(usersSchema),
  EMBEDDED_CLICKHOUSE_MAX_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .min(GIB / 4)
    .default(defaultMemoryBytes),
});

export const clickHouseProcess = (settings: ClickHouseSettings) =>
  ({
    name: 'clickhouse',
    run: { entry: clickHouseEntry },
    env: buildClickHouseEnv(settings),
    ready: 'json-line',
    explainFailure: (messages) => explainStartFailure(settings.dir, messages),
  }) as const satisfies ProcessOptions;

const buildClickHouseEnv = (settings: ClickHouseSettings): Readonly<Record<string, string>> => ({
  EMBEDDED_CLICKHOUSE_DIR: settings.dir,
  EMBEDDED_CLICKHOUSE_PORT: String(settings.port),
  EMBEDDED_CLICKHOUSE_USERS: JSON.stringify(settings.users),
  ...(settings.analystsPort !== undefined && { EMBEDDED_ANALYSTS_PORT: String(settings.analystsPort) }),
  ...(settings.maxMemoryBytes && { EMBEDDED_CLICKHOUSE_MAX_MEMORY_BYTES: String(settings.maxMemoryBytes) }),
  // The engine reads its time zone only from this environment variable.
  TZ: 'UTC',
});

export const readClickHouseEnv = (env: NodeJS.ProcessEnv): ReadSettings => {
  const parsed = envSchema.safeParse(env);
  if (!parsed.success)
    throw new Error(`Invalid environment of the ClickHouse process.\n${z.prettifyError(parsed.error)}`);
  return {
    dir: parsed.data.EMBEDDED_CLICKHOUSE_DIR,
    port: parsed.data.EMBEDDED_CLICKHOUSE_PORT,
    users: parsed.data.EMBEDDED_CLICKHOUSE_USERS,
    analystsPort: parsed.data.EMBEDDED_ANALYSTS_PORT,
    maxMemoryBytes: parsed.data.EMBEDDED_CLICKHOUSE_MAX_MEMORY_BYTES,
  };
};
