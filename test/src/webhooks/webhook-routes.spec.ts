import { randomUUID } from 'node:crypto';
import { WebhookPayload } from '@popsvc/contracts/webhooks';
import { createClient } from '@popsvc/http-kit/auth/tokens';
import { insertDeliveries } from '@popsvc/platform/postgres';
import { operatorWebhooks, webhookRoutes } from '@popsvc/http-kit/webhooks';
import { expect } from 'chai';
import { rawRequest } from '../http/raw-request.fixture.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { secretSealer } from '../support/test-sealer.ts';

const registry = {
  ...smallRegistry,
  networks: [...smallRegistry.networks, { id: 60, name: 'Other Media', timezone: 'UTC' }],
  vendors: [...smallRegistry.vendors, { code: 'other', name: 'Other', network: 1 }],
};

interface Answer {
  readonly status: number;
  readonly body: {
    readonly id: string;
    readonly secret: string;
    readonly webhooks: readonly { readonly id: string; readonly dead: number }[];
    readonly deliveries: readonly { readonly id: string; readonly state: string; readonly payload: unknown }[];
    readonly next_before: string | null;
    readonly queued: number;
    readonly webhook_id: string;
    readonly error?: { readonly code: string; readonly details?: readonly object[] };
  };
}

describe('webhooks', function () {
  let services: TestServices;
  const callers = {} as Record<'partner' | 'secondPartner' | 'vendor' | 'otherVendor' | 'operator', Caller>;
  interface Caller {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  }
  before(async () => {
    services = await startTestServices();
    await services.register(registry);
    await services.project();
    const { queryUrl, ingestUrl, opsUrl } = services;
    const partner = async (networkIds: readonly number[]): Promise<Caller> => ({
      url: `${queryUrl}/api/v1/webhooks`,
      headers: { authorization: `Bearer ${await tokenFor(networkIds)}` },
    });
    const vendor = async (code: string): Promise<Caller> => ({
      url: `${ingestUrl}/popsvc/v1/webhooks`,
      headers: { 'x-api-key': await services.apiKey(1, code) },
    });
    callers.partner = await partner([1, 60]);
    callers.secondPartner = await partner([1]);
    callers.vendor = await vendor('acme');
    callers.otherVendor = await vendor('other');
    callers.operator = { url: `${opsUrl}/ops/v1/webhooks`, headers: { authorization: `Bearer ${operatorToken}` } };
  });
  after(() => services.close());

  const tokenFor = async (networkIds: readonly number[]) => {
    const { client, clientSecret } = await createClient(services.postgres, { networkIds, name: undefined });
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: clientSecret,
    });
    const answer = await fetch(`${services.queryUrl}/oauth/token`, { method: 'POST', body: form });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const send = async (
    { url, headers }: Caller,
    method: string,
    path = '',
    body?: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...more, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer['body'] & { readonly data?: Answer['body'] };
    return { status: response.status, body: answer.data ?? answer };
  };
  let paths = 0;
  const create = (caller: Caller, more: object = {}, headers?: Readonly<Record<string, string>>) =>
    send(caller, 'POST', '', { url: `https://example.com/${++paths}`, types: ['job.finished'], ...more }, headers);
  const idsOf = async (caller: Caller, query = '') =>
    (await send(caller, 'GET', query)).body.webhooks.map(({ id }) => id);

  it('are created by partners, vendors and operators, and only the response has the secret', async () => {
    const { partner, vendor, operator } = callers;
    for (const [caller, more] of [
      [partner, {}],
      [vendor, {}],
      [operator, { network: 1 }],
    ] as const) {
      const { status, body } = await create(caller, more);
      expect(status).to.equal(201);
      expect(body.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(JSON.stringify(await send(caller, 'GET'))).not.to.include('whsec_');
      expect(await idsOf(caller)).to.include(body.id);
    }
  });

  it('are seen only by their owner and by operators', async () => {
    const { partner, secondPartner, vendor, otherVendor, operator } = callers;
    const ofPartner = (await create(partner)).body.id;
    const ofVendor = (await create(vendor)).body.id;
    const ofNetwork = (await create(operator, { network: 1 })).body.id;
    const forVendor = (await create(operator, { network: 1, vendor: 'acme' })).body.id;
    const all = [ofPartner, ofVendor, ofNetwork, forVendor];
    const seenBy = async (caller: Caller, query = '') => {
      const ids = await idsOf(caller, query);
      return all.map((id) => (ids.includes(id) ? 1 : 0)).join('');
    };
    expect(
      await Promise.all([partner, secondPartner, vendor, otherVendor, operator].map((each) => seenBy(each))),
    ).to.deep.equal(['1000', '0000', '0101', '0000', '1111']);
    expect([await seenBy(operator, '?vendor=acme'), await seenBy(operator, '?network=60')]).to.deep.equal([
      '0101',
      '0000',
    ]);
    for (const [method, path, body] of [
      ['GET', '/deliveries', undefined],
      ['POST', '/rotate', {}],
      ['POST', '/redeliver', {}],
      ['POST', '/test', undefined],
      ['DELETE', '', undefined],
    ] as const)
      for (const [caller, id] of [
        [secondPartner, ofPartner],
        [otherVendor, ofVendor],
        [vendor, ofPartner],
        [partner, ofVendor],
        [partner, randomUUID()],
        [vendor, 'x'],
      ] as const) {
        const { status, body: answer } = await send(caller, method, `/${id}${path}`, body);
        expect([status, answer.error?.code], `${method} ${path}`).to.deep.equal([404, 'NOT_FOUND']);
      }
    expect(await seenBy(operator)).to.equal('1111');
  });

  it('of a partner are of the network that the request selects', async () => {
    const { partner } = callers;
    const other = { 'x-network-name': 'Other Media' };
    const { id } = (await create(partner, {}, other)).body;
    const listed = async (headers?: Readonly<Record<string, string>>) =>
      (await send(partner, 'GET', '', undefined, headers)).body.webhooks.some((each) => each.id === id);
    expect([await listed(), await listed(other), await listed({ 'x-network-name': 'Harbour Media' })]).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect((await send(partner, 'DELETE', `/${id}`, undefined, { 'x-network-name': 'Harbour Media' })).status).to.equal(
      404,
    );
    expect((await send(partner, 'DELETE', `/${id}`)).status).to.equal(200);
    expect(await listed()).to.equal(false);
  });

  it('are refused with the reason', async () => {
    const { partner, vendor, operator } = callers;
    const refusal = async (caller: Caller, more: object) => {
      const { status, body } = await create(caller, more);
      return [status, body.error?.code, body.error?.details];
    };
    const invalid = (path: string, message: string) => [400, 'INVALID_REQUEST', [{ path, message }]];
    expect(await refusal(partner, { url: 'https://10.0.0.1/' })).to.deep.equal(
      invalid('url', 'must not be an internal address'),
    );
    expect(await refusal(partner, { url: 'http://example.com/' })).to.deep.equal(
      invalid('url', 'must begin with https://'),
    );
    expect((await refusal(vendor, { types: ['report_day.final'] }))[0]).to.equal(400);
    expect(await refusal(partner, { types: ['job.finished', 'job.finished'] })).to.deep.equal(
      invalid('types', 'must not name a type twice'),
    );
    expect(await refusal(operator, { network: 99 })).to.deep.equal(invalid('network', 'there is no network 99'));
    expect(await refusal(operator, { network: 60, vendor: 'acme' })).to.deep.equal(
      invalid('vendor', 'there is no vendor acme in network 60'),
    );
    const twice = { url: 'https://example.com/twice' };
    expect((await create(vendor, twice)).status).to.equal(201);
    expect((await refusal(vendor, twice)).slice(0, 2)).to.deep.equal([409, 'CONFLICT']);
    expect((await create(partner, twice)).status).to.equal(201);
    const key = { ...partner, headers: vendor.headers };
    expect((await send(key, 'GET')).status).to.equal(401);
  });

  it('are limited to 20 for each owner and network', async () => {
    const { secondPartner } = callers;
    const statuses = await Promise.all(Array.from({ length: 22 }, async () => (await create(secondPartner)).status));
    expect(statuses.sort()).to.deep.equal([...Array.from({ length: 20 }, () => 201), 409, 409]);
  });

  it('respond with 503 while PostgreSQL is unavailable', async () => {
    const postgres = { query: () => Promise.reject(new Error('Connection terminated unexpectedly')) } as never;
    const [, list] = webhookRoutes({
      declarations: operatorWebhooks,
      postgres,
      secretSealer,
      opened: [],
      isEnveloped: false,
      selectWebhooks: () => ({}),
      readRequested: () => Promise.reject(new Error('not requested')),
    });
    const answer = (async () => list!.handle({ query: {} } as never))();
    const error = await answer.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.include({ code: 'UNAVAILABLE' });
  });

  it('get a new secret, and list and repeat their deliveries', async () => {
    const { vendor } = callers;
    const { id, secret } = (await create(vendor)).body;
    const rotated = await send(vendor, 'POST', `/${id}/rotate`, { overlap_seconds: 60 });
    expect([rotated.status, rotated.body.secret === secret]).to.deep.equal([200, false]);
    const data = {
      network_id: 1,
      vendor: 'acme',
      job_id: 'j',
      status: 'completed',
      total_rows: 1,
      processed_rows: 1,
      error_rows: 0,
    };
    const notice = { type: 'job.finished' as const, timestamp: '2026-08-20T14:00:00.000Z', data };
    for (let index = 0; index < 3; index += 1)
      await insertDeliveries(services.postgres, [
        { noticeId: randomUUID(), network: 1, vendor: 'acme', type: notice.type, payload: JSON.stringify(notice) },
      ]);
    await services.postgres.query(
      `UPDATE webhook_deliveries SET state = 'dead', next_attempt_at = NULL WHERE subscription_id = $1`,
      [id],
    );
    const first = (await send(vendor, 'GET', `/${id}/deliveries?state=dead&limit=2`)).body;
    expect(first.deliveries.map(({ state, payload }) => [state, payload])).to.deep.equal([
      ['dead', notice],
      ['dead', notice],
    ]);
    const second = (await send(vendor, 'GET', `/${id}/deliveries?limit=2&before=${first.next_before}`)).body;
    expect([second.deliveries.length, second.next_before]).to.deep.equal([1, null]);
    const redeliver = async (body: object) => (await send(vendor, 'POST', `/${id}/redeliver`, body)).body.queued;
    expect(await redeliver({ deliveries: [first.deliveries[0]!.id] })).to.equal(1);
    expect(await redeliver({})).to.equal(2);
    expect((await send(vendor, 'GET', `/${id}/deliveries?state=dead`)).body.deliveries).to.deep.equal([]);
    await services.postgres.query(
      `UPDATE webhook_deliveries SET claims = 9, next_attempt_at = now() + interval '12 hours' WHERE subscription_id = $1`,
      [id],
    );
    const pending = (await send(vendor, 'GET', `/${id}/deliveries?state=pending&limit=1`)).body.deliveries[0]!;
    expect(await redeliver({ deliveries: [pending.id] })).to.equal(1);
    const { rows } = await services.postgres.query(
      'SELECT claims FROM webhook_deliveries WHERE subscription_id = $1 AND next_attempt_at <= now()',
      [id],
    );
    expect(rows).to.deep.equal([{ claims: 0 }]);
  });

  it('get a test notice on request, which replaces the previous one in the list', async () => {
    const { partner, vendor, operator } = callers;
    for (const [name, caller] of Object.entries({ partner, vendor, operator })) {
      const { id } = (await create(caller, caller === operator ? { network: 1 } : {})).body;
      const first = await send(caller, 'POST', `/${id}/test`);
      expect([first.status, first.body.id], name).to.deep.equal([200, id]);
      const second = await send(caller, 'POST', `/${id}/test`);
      expect(second.body.webhook_id, name).not.to.equal(first.body.webhook_id);
      const { deliveries } = (await send(caller, 'GET', `/${id}/deliveries`)).body;
      expect(deliveries, name).to.deep.equal([second.body]);
      expect(deliveries[0], name).to.deep.include({ state: 'pending', attempts: [] });
      expect(WebhookPayload.parse(deliveries[0]!.payload), name).to.deep.include({
        type: 'test',
        data: { network_id: 1 },
      });
    }
    const other = { 'x-network-name': 'Other Media' };
    const { id } = (await create(partner, {}, other)).body;
    await send(partner, 'POST', `/${id}/test`);
    const { deliveries } = (await send(partner, 'GET', `/${id}/deliveries`)).body;
    expect(deliveries[0]!.payload).to.deep.include({ data: { network_id: 60 } });
    expect((await send(partner, 'POST', `/${id}/test?x=1`)).status).to.equal(400);
  });

  it('rotate and redeliver without a body, whatever the content type', async () => {
    const { partner, vendor, operator } = callers;
    for (const [name, caller] of Object.entries({ partner, vendor, operator })) {
      const created = (await create(caller, caller === operator ? { network: 1 } : {})).body;
      const { host, hostname, port, pathname } = new URL(`${caller.url}/${created.id}`);
      const post = async (action: string, headers: Readonly<Record<string, string>>, body = '') => {
        const sent = Object.entries({ host, connection: 'close', ...caller.headers, ...headers });
        const lines = [`POST ${pathname}/${action} HTTP/1.1`, ...sent.map((field) => field.join(': ')), '', body];
        return Number(/^HTTP\/1\.1 (\d+)/.exec(await rawRequest(Number(port), lines.join('\r\n')))?.[1]);
      };
      expect(hostname).to.equal('127.0.0.1');
      const json = { 'content-type': 'application/json' };
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const action of ['rotate', 'redeliver']) {
        for (const headers of [{}, { 'content-length': '0' }, json, { ...form, 'content-length': '0' }])
          expect(await post(action, headers), `${name} ${action} ${JSON.stringify(headers)}`).to.equal(200);
        expect(await post(action, { ...form, 'content-length': '2' }, '{}'), name).to.equal(415);
        expect(await post(action, { 'content-length': '2' }, '{}'), name).to.equal(415);
        expect(await post(action, { ...json, 'content-length': '1' }, ' '), name).to.equal(400);
      }
      expect((await send(caller, 'POST', '', undefined)).status, name).to.equal(415);
    }
  });
});
