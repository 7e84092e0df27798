import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';

/** Becomes an identifier in SQL and a name in the engine's users file. */
export const analystName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{1,31}$/, 'must be 2 to 32 lower case letters, digits and underscores, a letter first')
  .refine(
    (name) => !/^popsvc|^default$|^analyst$/.test(name),
    'is kept for the service: not default or analyst, and nothing that begins with popsvc',
  );

export const AnalystAddress = z.object({ name: z.string().describe('The login.') });

const networks = z
  .array(z.int().positive())
  .min(1)
  .max(1_000)
  .refine((ids) => new Set(ids).size === ids.length, 'must not name a network twice');

export const NewAnalyst = z.strictObject({
  name: analystName,
  networks: z
    .union([networks, z.literal('all')])
    .describe('Networks whose rows the analyst sees; `all`: every one, also those that are yet to come.'),
  run_sql: z
    .boolean()
    .default(true)
    .describe('Whether the service runs the statements itself; else somebody else has to, with the rights for it.'),
});

const networkIds = z.array(z.int().min(1)).nullable().describe('Null: all networks.');
const canLogIn = z.boolean().describe('Whether ClickHouse knows the login now.');

/** The one answer that shows the password. */
export const MadeAnalyst = z
  .object({
    user: z.string(),
    password: z.string().describe('Shown now and never again.'),
    network_ids: networkIds,
    url: z.string().describe('Where analysts ask, over HTTP.'),
    database: z.string(),
    can_log_in: canLogIn,
    why: z
      .string()
      .nullable()
      .describe('Why ClickHouse did not take the statements; null when it did or was not asked.'),
    statements: z.array(z.string()).describe('What makes the login on a server whose users are made by SQL.'),
  })
  .meta({ id: 'MadeAnalyst' });

export const Analyst = z
  .object({
    name: z.string(),
    network_ids: networkIds,
    created_at: Instant,
    revoked_at: Instant.nullable(),
    can_log_in: canLogIn.nullable().describe('Whether ClickHouse knows the login now; null when it does not tell.'),
  })
  .meta({ id: 'Analyst' });
