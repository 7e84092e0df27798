import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@popsvc/contracts/errors';
import { Instant } from '@popsvc/contracts/time';
import { jsonResponse, noParameters, parseBody, type Route } from '@popsvc/http-kit/server';
import {
  type AnalystRecord,
  insertAnalyst,
  listAnalysts,
  type Postgres,
  revokeAnalyst,
} from '@popsvc/platform/postgres';
import { z } from 'zod';
import { requireActiveNetworks } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import type { AnalystLogins } from './logins.ts';

export interface AnalystsDependencies {
  readonly postgres: Postgres;
  readonly analystLogins: AnalystLogins;
  readonly analystsUrl: string;
}

/** Becomes an SQL identifier and a part of query ids, so few characters are allowed. */
const analystName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{1,31}$/, 'must be 2 to 32 lower case letters, digits and underscores, a letter first')
  .refine(
    (name) => !/^popsvc|^default$|^analyst$/.test(name),
    'is kept for the service: not default or analyst, and nothing that begins with popsvc',
  );

const AnalystPath = z.object({ name: z.string().describe('The login.') });

const networksField = z
  .array(z.int().positive())
  .min(1)
  .max(1_000)
  .refine((ids) => new Set(ids).size === ids.length, 'must not name a network twice');

const NewAnalyst = z.strictObject({
  name: analystName.describe('The login.'),
  networks: z
    .union([networksField, z.literal('all')])
    .describe('Networks whose rows the analyst sees; `all` includes future networks.'),
  run_sql: z
    .boolean()
    .default(true)
    .describe('Whether the service runs the statements itself; if false, an administrator must run them.'),
});

const networkIdsField = z.array(z.int().min(1)).nullable().describe('Null: all networks.');
const canLogInField = z.boolean().describe('Whether the login exists in ClickHouse.');

const CreatedAnalyst = z
  .object({
    user: z.string().describe('The login.'),
    password: z.string().describe('Only this response contains it.'),
    network_ids: networkIdsField,
    url: z.string().describe('The HTTP URL of ClickHouse for analysts.'),
    database: z.string().describe('The database with the views for analysts.'),
    can_log_in: canLogInField,
    why: z.string().nullable().describe("ClickHouse's error; null if the statements succeeded or were not run."),
    statements: z.array(z.string()).describe('The SQL statements that create the login.'),
  })
  .meta({ id: 'MadeAnalyst' });

const Analyst = z
  .object({
    name: z.string().describe('The login.'),
    network_ids: networkIdsField,
    created_at: Instant.describe('When the analyst was created.'),
    revoked_at: Instant.nullable().describe('When it was revoked; null if it was not.'),
    can_log_in: canLogInField
      .nullable()
      .describe(
        'Whether the login exists in ClickHouse; null if the service may not list users, or ClickHouse does not answer.',
      ),
  })
  .meta({ id: 'Analyst' });

const path = '/ops/v1/analysts';

const toAnalyst = ({ name, networkIds, createdAt, revokedAt }: AnalystRecord, canLogIn: boolean | null) => ({
  name,
  network_ids: networkIds,
  created_at: createdAt,
  revoked_at: revokedAt,
  can_log_in: canLogIn,
});

const syncPendingReason =
  'ClickHouse did not answer or rejected a statement; the grants are synchronized again within seconds once it works.';

const createAnalystRoute = (
  { postgres, analystLogins, analystsUrl }: AnalystsDependencies,
  registryLog: RegistryLog,
): Route => ({
  method: 'post',
  path,
  summary: 'Creates a login for an analyst. Only this response contains its password.',
  operationId: 'createAnalyst',
  access: 'admin',
  body: 'json',
  examples: [{ name: 'ofTheDemoNetwork', body: { name: 'anna', networks: [1] } }],
  schemas: { query: noParameters, body: NewAnalyst, responses: { 201: CreatedAnalyst } },
  errorCodes: ['CONFLICT'],
  async handle({ body, log }) {
    const { name, networks, run_sql } = parseBody(NewAnalyst, body);
    if (networks !== 'all') requireActiveNetworks(await registryLog.readCurrent(), networks);
    // Begins with letters, because some SQL tools treat a password that looks like a number as a number. Common password rules require
    // both cases.
    const password = `Pa${randomBytes(24).toString('base64url')}`;
    const passwordSha256 = createHash('sha256').update(password).digest();
    const networkIds = networks === 'all' ? null : networks;
    if (!(await insertAnalyst(postgres, { name, networkIds, passwordSha256 })))
      throw new ApiError('CONFLICT', `The name ${name} was used before; choose another one.`);
    log.info({ analyst: name, networkIds }, 'analyst created');
    const hash = passwordSha256.toString('hex');
    const createLogin = async () => {
      await analystLogins.syncGrants();
      if (run_sql) return analystLogins.create(name, hash);
      return { canLogIn: (await analystLogins.readUsers())?.has(name) ?? false, why: null };
    };
    // The request succeeds even if ClickHouse fails: the analyst is stored, and no later response contains the password.
    const login = await createLogin().catch((err: unknown) => {
      log.warn({ err, analyst: name }, 'failed to create analyst login in ClickHouse');
      return { canLogIn: false, why: syncPendingReason };
    });
    return jsonResponse(201, {
      user: name,
      password,
      network_ids: networkIds,
      url: analystsUrl,
      database: analystLogins.database,
      can_log_in: login.canLogIn,
      why: login.why,
      statements: analystLogins.statements(name, hash),
    });
  },
});

const listAnalystsRoute = ({ postgres, analystLogins }: AnalystsDependencies): Route => ({
  method: 'get',
  path,
  summary: 'All analysts, including revoked ones, without their passwords.',
  operationId: 'listAnalysts',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: z.array(Analyst) } },
  async handle() {
    const [all, known] = await Promise.all([listAnalysts(postgres), analystLogins.readUsers()]);
    return jsonResponse(
      200,
      all.map((each) => toAnalyst(each, known?.has(each.name) ?? null)),
    );
  },
});

const revokeAnalystRoute = ({ postgres, analystLogins }: AnalystsDependencies): Route => ({
  method: 'delete',
  path: `${path}/:name`,
  summary: 'Revokes an analyst permanently: all rows become invisible at once and running queries are killed.',
  operationId: 'revokeAnalyst',
  access: 'admin',
  examples: [{ name: 'one', params: { name: 'anna' } }],
  schemas: { params: AnalystPath, query: noParameters, responses: { 200: Analyst } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, log }) {
    const record = await revokeAnalyst(postgres, params['name'] ?? '');
    if (!record) throw new ApiError('NOT_FOUND', 'There is no analyst with this name.');
    log.info({ analyst: record.name }, 'analyst revoked');
    await analystLogins.syncGrants().catch((err: unknown) => {
      log.warn({ err, analyst: record.name }, 'failed to remove the grants of a revoked analyst from ClickHouse');
    });
    const { canLogIn } = await analystLogins.revoke(record.name);
    return jsonResponse(200, toAnalyst(record, canLogIn));
  },
});

export const analystsRoutes = (dependencies: AnalystsDependencies, registryLog: RegistryLog): readonly Route[] => [
  createAnalystRoute(dependencies, registryLog),
  listAnalystsRoute(dependencies),
  revokeAnalystRoute(dependencies),
];
