import { totalmem } from 'node:os';
import { z } from 'zod';
import { clickHouseRoles, type ClickHouseRole } from './roles.ts';

/** What somebody logs in with: itself, or what it is known by where only its hash is. */
export type Secret = { readonly password: string } | { readonly passwordSha256Hex: string };

/** Somebody who may log in. */
export type ClickHouseUser = Secret & {
  readonly name: string;
  readonly role: ClickHouseRole;
};

export interface ClickHouseSettings {
  /** Everything the engine keeps; nobody else may use it meanwhile. */
  readonly dir: string;
  /** On loopback; 0 is any free one. */
  readonly port: number;
  readonly users: readonly ClickHouseUser[];
  /** Where analysts ask; 0 is any free one. Default: nowhere. */
  readonly analystsPort?: number;
  /** Ceiling of the engine's own memory. Default: a quarter of the machine's, between 1 and 4 GiB. */
  readonly maxMemoryBytes?: number;
}

/** The same with nothing left open but whether analysts are let in. */
export interface ReadSettings extends Required<Omit<ClickHouseSettings, 'analystsPort'>> {
  readonly analystsPort: number | undefined;
}

const GIB = 1024 ** 3;
const defaultMemoryBytes = (): number => Math.min(4 * GIB, Math.max(GIB, Math.floor(totalmem() / 4)));

const somebody = {
  // A name becomes an XML element of the engine's users file.
  name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'a name is lower case letters, digits and underscores'),
  role: z.enum(Object.keys(clickHouseRoles) as [ClickHouseRole, ...ClickHouseRole[]]),
};

const usersSchema = z
  .array(
    z.union([
      z.strictObject({ ...somebody, password: z.string().min(1) }),
      z.strictObject({ ...somebody, passwordSha256Hex: z.string().regex(/^[0-9a-f]{64}$/) }),
    ]),
  )
  .min(1)
  .refine((users) => users.every(({ name }) => name !== 'default'), "default is the engine's own user");

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

/** The environment of the ClickHouse process, as its parent writes it. */
export const buildClickHouseEnv = (settings: ClickHouseSettings): Record<string, string> => ({
  EMBEDDED_CLICKHOUSE_DIR: settings.dir,
  EMBEDDED_CLICKHOUSE_PORT: String(settings.port),
  EMBEDDED_CLICKHOUSE_USERS: JSON.stringify(settings.users),
  ...(settings.analystsPort !== undefined && { EMBEDDED_ANALYSTS_PORT: String(settings.analystsPort) }),
  ...(settings.maxMemoryBytes && { EMBEDDED_CLICKHOUSE_MAX_MEMORY_BYTES: String(settings.maxMemoryBytes) }),
  // The engine takes its time zone from the process and from nowhere else.
  TZ: 'UTC',
});

/** The same, as the process reads it; throws an error that names the wrong variable. */
export const readClickHouseEnv = (env: NodeJS.ProcessEnv): ReadSettings => {
  const parsed = envSchema.safeParse(env);
  if (!parsed.success) throw new Error(`The environment of ClickHouse is wrong.\n${z.prettifyError(parsed.error)}`);
  return {
    dir: parsed.data.EMBEDDED_CLICKHOUSE_DIR,
    port: parsed.data.EMBEDDED_CLICKHOUSE_PORT,
    users: parsed.data.EMBEDDED_CLICKHOUSE_USERS,
    analystsPort: parsed.data.EMBEDDED_ANALYSTS_PORT,
    maxMemoryBytes: parsed.data.EMBEDDED_CLICKHOUSE_MAX_MEMORY_BYTES,
  };
};
