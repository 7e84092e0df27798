import { auditStream } from '@popsvc/contracts/events';
import { expect } from 'chai';
import sinon from 'sinon';
import { hashPassword, startAccountWatch } from '@popsvc/http-kit/auth';
import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import { insertAccount, type Queryable } from '@popsvc/platform/postgres';
import type { OperatorRole } from '@popsvc/contracts/vocabulary';
import { createLog } from '@popsvc/platform/telemetry';
import { waitUntil } from '@popsvc/tools/rig';
import { smallRegistry } from '../support/small-registry.ts';
import { operatorToken, startTestOps, type TestOps } from './ops.fixture.ts';
import { codeOf, pathsOf } from './registry.fixture.ts';

interface Audited {
  readonly actor: string;
  readonly role: string;
  readonly action: string;
  readonly target: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly request_id: string;
  readonly sequence: string;
}
type Body = Readonly<Record<string, string>>;

describe('accounts of operators', () => {
  let system: TestOps;
  let isAuditAway = false;
  before(async () => {
    system = await startTestOps({}, (store) => ({
      ...store,
      append: (stream, events, options) =>
        isAuditAway && stream === auditStream
          ? Promise.reject(new EventStoreUnavailable('down'))
          : store.append(stream, events, options),
      subscribe: (options) => store.subscribe(options),
      readStream: (stream, options) => store.readStream(stream, options),
    }));
    await system.request('POST', '/registry', smallRegistry);
  });
  after(() => system.close());

  const create = async (name: string, role: string) => {
    const made = await system.request('POST', '/accounts', { name, role });
    expect(made.status).to.equal(201);
    return (made.body as Body)['password']!;
  };
  /** Adds an account whose password is compared quickly. */
  const add = async (name: string, role: OperatorRole) => {
    const password = `password of ${name}`;
    await insertAccount(system.postgres, {
      name,
      role,
      passwordHash: await hashPassword(password, { N: 2, r: 1, p: 1 }),
    });
    return password;
  };
  const send = (method: string, path: string, cookie: string, body?: unknown) =>
    fetch(`${system.baseUrl}/ops/v1${path}`, {
      method,
      headers: {
        cookie,
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const signIn = async (account: string, password: string) => {
    const response = await send('POST', '/session', '', { account, password });
    return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  const statusOf = async (method: string, path: string, cookie: string, body?: unknown) =>
    (await send(method, path, cookie, body)).status;
  const audit = async (query = '') =>
    (await system.request('GET', `/audit?limit=500${query}`)).body as {
      actions: readonly Audited[];
      next_after: string | null;
    };

  it('sign in with the generated password and have their role', async () => {
    const password = await create('jane', 'viewer');
    expect(password).to.match(/^[\w-]{24}$/);
    const { status, cookie } = await signIn('jane', password);
    expect(status).to.equal(204);
    expect(await (await send('GET', '/session', cookie)).json()).to.deep.include({ account: 'jane', role: 'viewer' });
    expect((await signIn('jane', `${password}x`)).status).to.equal(401);
    expect((await signIn('not-an-account', password)).status).to.equal(401);
    const list = (await system.request('GET', '/accounts')).body;
    expect(JSON.stringify(list)).to.include('jane').and.not.include(password);
    const { rows } = await system.postgres.query<{ text: string }>(
      'SELECT operator_accounts::text AS text FROM operator_accounts',
    );
    expect(rows[0]!.text).to.include('scrypt:32768:8:3:').and.not.include(password);
  });

  it('are refused what needs a higher role, with the role needed', async () => {
    const viewer = await signIn('vera', await add('vera', 'viewer'));
    const operator = await signIn('otto', await add('otto', 'operator'));
    const admin = await signIn('ada', await add('ada', 'admin'));
    const newKey = { network: 1, vendor: 'acme' };
    for (const [path, body, statuses] of [
      ['/registry', {}, [403, 200, 200]],
      ['/projections/coffee/pause', undefined, [403, 404, 404]],
      ['/webhooks/unknown/redeliver', undefined, [403, 404, 404]],
      ['/webhooks/unknown/test', undefined, [403, 404, 404]],
      ['/api-keys', newKey, [403, 403, 201]],
    ] as const)
      for (const [index, { cookie }] of [viewer, operator, admin].entries())
        expect(await statusOf('POST', path, cookie, body), `${path} ${index}`).to.equal(statuses[index]);
    for (const [index, { cookie }] of [viewer, operator, admin].entries())
      expect(await statusOf('GET', '/accounts', cookie)).to.equal([403, 403, 200][index]);
    for (const [path, status] of [
      ['/registry', 200],
      ['/webhooks', 200],
      ['/webhooks/unknown/deliveries', 404],
      // This service has no ClickHouse.
      ['/devices/31/timeline', 503],
    ] as const)
      expect(await statusOf('GET', path, viewer.cookie), path).to.equal(status);
    const refused = (await (await send('POST', '/api-keys', operator.cookie, newKey)).json()) as { message: string };
    expect(refused).to.deep.include({ message: 'This request needs the role admin; your role is operator.' });
    expect(codeOf({ status: 403, body: refused })).to.equal('FORBIDDEN');
  });

  it('lose their sessions when their role or password changes, and when they are deleted', async () => {
    const password = await add('eve', 'operator');
    const first = await signIn('eve', password);
    expect((await system.request('PUT', '/accounts/eve/role', { role: 'operator' })).status).to.equal(200);
    expect(await statusOf('GET', '/projections', first.cookie), 'the same role').to.equal(200);
    await system.request('PUT', '/accounts/eve/role', { role: 'viewer' });
    expect(await statusOf('GET', '/projections', first.cookie), 'another role').to.equal(401);
    const second = await signIn('eve', password);
    const reset = (await system.request('POST', '/accounts/eve/password')).body as Body;
    expect(await statusOf('GET', '/projections', second.cookie), 'another password').to.equal(401);
    expect((await signIn('eve', password)).status).to.equal(401);
    const third = await signIn('eve', reset['password']!);
    expect(third.status).to.equal(204);
    expect((await system.request('DELETE', '/accounts/eve')).status).to.equal(200);
    expect(await statusOf('GET', '/projections', third.cookie), 'deleted').to.equal(401);
    await create('eve', 'admin');
    expect(await statusOf('GET', '/projections', third.cookie), 'a new account of this name').to.equal(401);
    expect((await system.request('DELETE', '/accounts/nothing')).status).to.equal(404);
  });

  it('are known in other processes within their poll, and at once if their version is new there', async () => {
    const log = createLog('test', 'silent');
    let isDown = false;
    const { postgres } = system;
    const query = ((text: string, values?: unknown[]) =>
      isDown
        ? Promise.reject(Object.assign(new Error('Connection terminated'), { code: 'ECONNREFUSED' }))
        : postgres.query(text, values)) as Queryable['query'];
    const watch = startAccountWatch({ query }, { log, intervalMs: 20 });
    await add('nina', 'viewer');
    const { rows } = await postgres.query<{ version: string }>(
      `SELECT version::text FROM operator_accounts WHERE name = 'nina'`,
    );
    const version = rows[0]!.version;
    expect(await watch.confirm('nina', version)).to.equal(true);
    expect(await watch.confirm('nina', '0')).to.equal(false);
    isDown = true;
    expect(watch.isCurrent('nina', version), 'while PostgreSQL is down').to.equal(true);
    const error: unknown = await watch.confirm('nina', '0').catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'UNAVAILABLE' });
    isDown = false;
    await system.request('DELETE', '/accounts/nina');
    await waitUntil(
      () => Promise.resolve(watch.isCurrent('nina', version)),
      (isCurrent) => !isCurrent,
    );
    watch.stop();
  });

  it('stay as the newest read found them, even if an earlier read ends later', async () => {
    const delayed: (() => void)[] = [];
    let isDelayed = true;
    const query = (async (text: string, values?: unknown[]) => {
      const wasDelayed = isDelayed;
      const result = await system.postgres.query(text, values);
      if (wasDelayed) await new Promise<void>((resolve) => delayed.push(resolve));
      return result;
    }) as Queryable['query'];
    await add('olga', 'viewer');
    const versionOf = async () =>
      (
        await system.postgres.query<{ version: string }>(
          `SELECT version::text FROM operator_accounts WHERE name = 'olga'`,
        )
      ).rows[0]!.version;
    const former = await versionOf();
    const watch = startAccountWatch({ query }, { log: createLog('test', 'silent'), intervalMs: 60_000 });
    const confirming = watch.confirm('olga', former);
    await waitUntil(
      () => Promise.resolve(delayed.length),
      (count) => count === 2,
    );
    isDelayed = false;
    expect((await system.request('PUT', '/accounts/olga/role', { role: 'operator' })).status).to.equal(200);
    await watch.refresh();
    for (const resolve of delayed) resolve();
    await confirming;
    expect(watch.isCurrent('olga', former)).to.equal(false);
    expect(watch.isCurrent('olga', await versionOf())).to.equal(true);
    watch.stop();
  });

  it('are refused with the invalid field', async () => {
    for (const [body, ...paths] of [
      [{ name: 'X', role: 'viewer' }, 'name'],
      [{ name: 'operator-token', role: 'admin' }, 'name'],
      [{ name: 'zoe', role: 'owner' }, 'role'],
      [{ name: 'zoe', role: 'viewer', password: 'chosen' }, 'password'],
    ] as const) {
      const reply = await system.request('POST', '/accounts', body);
      expect([reply.status, pathsOf(reply)]).to.deep.equal([400, paths]);
    }
    expect((await system.request('POST', '/accounts', { name: 'jane', role: 'admin' })).status).to.equal(409);
    for (const body of [{ account: 'jane' }, { password: 'x' }, { token: 'x', account: 'jane', password: 'y' }])
      expect(await statusOf('POST', '/session', '', body)).to.equal(400);
  });

  it('are limited to 10 sign-ins a minute, also with the right password', async () => {
    const password = await add('max', 'viewer');
    // The clock of the limits does not move, so that no attempt is forgotten.
    const now = performance.now();
    const clock = sinon.stub(performance, 'now').returns(now);
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 10; n++) statuses.push((await signIn('max', 'wrong')).status);
      expect(statuses).to.deep.equal(Array<number>(10).fill(401));
      const limited = await send('POST', '/session', '', { account: 'max', password });
      expect([limited.status, ((await limited.json()) as Body)['message']]).to.deep.equal([
        429,
        'Too many sign-ins with this account.',
      ]);
    } finally {
      clock.restore();
    }
  });

  describe('the audit log', () => {
    it('has every action with its operator, and requests refused because of the role, without secrets', async () => {
      const password = await add('ann', 'operator');
      const { cookie } = await signIn('ann', password);
      await send('POST', '/registry?dry_run=true', cookie, {});
      await send('POST', '/clients', cookie, { networks: [1], name: 'agency' });
      const made = (await system.request('POST', '/clients', { networks: [1], name: 'agency' })).body as Body;
      await send('POST', '/registry', cookie, { networks: 'none' });
      await send('DELETE', '/session', cookie);
      const { actions } = await waitUntil(
        () => audit(),
        (page) => page.actions.filter(({ actor }) => actor === 'ann').length === 4,
      );
      const own = actions.filter(({ actor }) => actor === 'ann');
      expect(own.map(({ action, outcome, role }) => `${role} ${action} ${outcome}`)).to.have.members([
        'operator openSession done',
        'operator applyRegistry done',
        'operator createClient refused',
        'operator endSession done',
      ]);
      const created = actions.find(({ action, actor }) => action === 'createClient' && actor === 'operator-token');
      expect(created).to.deep.include({
        role: 'admin',
        outcome: 'done',
        target: { networks: '[1]', name: 'agency', client_id: made['client_id'] },
      });
      const text = JSON.stringify(actions);
      for (const secret of [password, made['client_secret']!, operatorToken]) expect(text).to.not.include(secret);
    });

    it('is filtered and read in pages', async () => {
      const all = (await audit()).actions;
      const filtered = (await audit('&actor=ann&outcome=refused')).actions;
      expect(filtered.map(({ action }) => action)).to.deep.equal(['createClient']);
      expect((await audit('&action=deleteAccount')).actions.length).to.equal(2);
      expect((await audit(`&since=${new Date(Date.now() + 60_000).toISOString()}`)).actions).to.deep.equal([]);
      const read: string[] = [];
      for (let after = ''; ;) {
        const reply = await system.request('GET', `/audit?limit=7${after}`);
        const page = reply.body as Awaited<ReturnType<typeof audit>>;
        read.push(...page.actions.map(({ sequence }) => sequence));
        if (page.next_after === null) break;
        after = `&after=${page.next_after}`;
      }
      expect(read).to.deep.equal(all.map(({ sequence }) => sequence));
    });

    it('must store an action before it is acknowledged, but not a sign-in', async () => {
      isAuditAway = true;
      try {
        const reply = await system.request('PUT', '/accounts/jane/role', { role: 'operator' });
        expect([reply.status, codeOf(reply)]).to.deep.equal([503, 'UNAVAILABLE']);
        expect((reply.body as Body)['message']).to.include('the audit log could not record it');
        expect(await statusOf('POST', '/session', '', { token: operatorToken })).to.equal(204);
      } finally {
        isAuditAway = false;
      }
      expect((await system.request('PUT', '/accounts/jane/role', { role: 'operator' })).status).to.equal(200);
      expect((await audit('&action=setAccountRole')).actions[0]).to.deep.include({
        target: { name: 'jane', role: 'operator' },
      });
    });
  });
});
