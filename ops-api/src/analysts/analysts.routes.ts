import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { type AnalystRecord, insertAnalyst, listAnalysts, revokeAnalyst } from '@popsvc/platform/postgres';
import { z } from 'zod';
import { parseBody, switches } from '../checked.ts';
import { requireNetworks } from '../credentials/registered.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { noParameters } from '../parameters.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { Analyst, AnalystAddress, MadeAnalyst, NewAnalyst } from './analysts.schemas.ts';

type Parts = Pick<OpsDependencies, 'postgres' | 'analystLogins' | 'analystsUrl'>;

const path = '/ops/v1/analysts';

/** All that is ever told of an analyst once the login was made. */
const told = ({ name, networkIds, createdAt, revokedAt }: AnalystRecord, canLogIn: boolean | null) => ({
  name,
  network_ids: networkIds,
  created_at: createdAt,
  revoked_at: revokedAt,
  can_log_in: canLogIn,
});

const notNow =
  'it did not answer, or refused what it was told; what the login sees is told again by itself, within seconds of its being well.';

const create = ({ postgres, analystLogins, analystsUrl }: Parts, known: RegistryLog): Route => ({
  method: 'post',
  path,
  summary: 'Makes a login for an analyst; its password is shown in this answer and never again.',
  operationId: 'createAnalyst',
  access: 'operator',
  body: 'json',
  examples: [{ name: 'ofTheDemoNetwork', body: { name: 'anna', networks: [1] } }],
  schemas: { query: noParameters, body: NewAnalyst, responses: { 201: MadeAnalyst } },
  errorCodes: ['CONFLICT'],
  async handle({ body, query, log }) {
    switches(query, []);
    const { name, networks, run_sql } = parseBody(NewAnalyst, body);
    if (networks !== 'all') requireNetworks(await known.upToDate(), networks);
    // A letter first, and both cases: some tools take what looks like a number for one.
    const password = `Pa${randomBytes(24).toString('base64url')}`;
    const passwordSha256 = createHash('sha256').update(password).digest();
    const networkIds = networks === 'all' ? null : networks;
    if (!(await insertAnalyst(postgres, { name, networkIds, passwordSha256 })))
      throw new ApiError('CONFLICT', `The name ${name} was given out before; take another one.`);
    log.info({ analyst: name, network_ids: networkIds }, 'an analyst was made');
    const hash = passwordSha256.toString('hex');
    const telling = async () => {
      await analystLogins.syncGrants();
      return run_sql ? await analystLogins.create(name, hash) : { canLogIn: false, why: null };
    };
    // The name is given out by now, and the password shown this once: whatever ClickHouse does.
    const standing = await telling().catch((err: unknown) => {
      log.warn({ err, analyst: name }, 'ClickHouse was not told of an analyst');
      return { canLogIn: false, why: notNow };
    });
    return jsonResponse(201, {
      user: name,
      password,
      network_ids: networkIds,
      url: analystsUrl,
      database: analystLogins.database,
      can_log_in: standing.canLogIn,
      why: standing.why,
      statements: analystLogins.statements(name, hash),
    });
  },
});

const list = ({ postgres, analystLogins }: Parts): Route => ({
  method: 'get',
  path,
  summary: 'All analysts there ever were, without their passwords.',
  operationId: 'listAnalysts',
  access: 'operator',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: z.array(Analyst) } },
  async handle({ query }) {
    switches(query, []);
    const [all, known] = await Promise.all([listAnalysts(postgres), analystLogins.readUsers()]);
    return jsonResponse(
      200,
      all.map((each) => told(each, known?.has(each.name) ?? null)),
    );
  },
});

const revoke = ({ postgres, analystLogins }: Parts): Route => ({
  method: 'delete',
  path: `${path}/:name`,
  summary: 'Ends an analyst for good: from now on no row is seen, and what is being asked is stopped.',
  operationId: 'revokeAnalyst',
  access: 'operator',
  examples: [{ name: 'one', params: { name: 'anna' } }],
  schemas: { params: AnalystAddress, query: noParameters, responses: { 200: Analyst } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query, log }) {
    switches(query, []);
    const record = await revokeAnalyst(postgres, params['name'] ?? '');
    if (!record) throw new ApiError('NOT_FOUND', 'There is no analyst of this name.');
    log.info({ analyst: record.name }, 'an analyst was revoked');
    await analystLogins.syncGrants();
    const { canLogIn } = await analystLogins.revoke(record.name);
    return jsonResponse(200, told(record, canLogIn));
  },
});

export const analystsRoutes = (parts: Parts, known: RegistryLog): readonly Route[] => [
  create(parts, known),
  list(parts),
  revoke(parts),
];
