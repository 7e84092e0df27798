import { randomUUID } from 'node:crypto';
import { noticeStream } from '@popsvc/contracts/events';
import type { Notice, NoticeType } from '@popsvc/contracts/webhooks';
import { createApiKey } from '@popsvc/http-kit/auth';
import { createClient } from '@popsvc/http-kit/auth/tokens';
import {
  createSecretSealer,
  insertTestDelivery,
  insertWebhook,
  listDeliveries,
  pruneWebhooks,
  requestRedelivery,
  revokeApiKey,
  revokeClient,
  rotateWebhookSecret,
  type SecretSealer,
  type WebhookRecord,
} from '@popsvc/platform/postgres';
import {
  createWebhookPost,
  createWebhookSecret,
  parseAddressRanges,
  type PostWebhook,
} from '@popsvc/platform/webhook-requests';
import { createDeliveries, followNotices } from '@popsvc/projectors/webhooks';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { log, openTestStores, type TestStores } from '../message-bus/bus.fixture.ts';
import { type Receiver, startReceiver, verifyRequest } from './receiver.fixture.ts';
import { secretSealer } from '../support/test-sealer.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

describe('deliveries to subscribers', () => {
  let stores: TestStores;
  let receiver: Receiver;
  /** A time when everything is due that a test adds now. A subscriber accepts timestamps up to five minutes ahead. */
  const soonMs = () => Date.now() + 3 * minute;
  let nowMs = soonMs();
  const post = createWebhookPost({ opened: parseAddressRanges('127.0.0.0/8')! });
  const { signal } = new AbortController();
  before(async () => {
    [stores, receiver] = await Promise.all([openTestStores(), startReceiver()]);
  });
  after(async () => {
    receiver.close();
    await stores.close();
  });
  beforeEach(async () => {
    await stores.postgres.query('TRUNCATE webhook_subscriptions CASCADE');
    receiver.received.length = 0;
    receiver.respond(204);
    nowMs = soonMs();
  });

  const subscribe = async (
    of: Partial<Pick<WebhookRecord, 'networkId' | 'types' | 'url'>> & { vendor?: string; clientId?: string } = {},
  ) => {
    const secret = createWebhookSecret();
    const given = { networkId: 1, types: ['report_day.final' as NoticeType], url: receiver.url, ...of, secret };
    const webhook = await insertWebhook(stores.postgres, secretSealer, given, 20);
    if (typeof webhook === 'string') throw new Error(webhook);
    return { id: webhook.id, secret };
  };
  const dayFinal = (network: number, day = '2026-08-20'): Notice => ({
    type: 'report_day.final',
    timestamp: '2026-08-24T00:00:03.000Z',
    data: { network_id: network, day },
  });
  const silent = (network: number, vendor: string): Notice => ({
    type: 'vendor.silent',
    timestamp: '2026-08-24T00:00:03.000Z',
    data: { network_id: network, vendor, silent_since: '2026-08-23T10:00:00.000Z' },
  });
  /** Appends notices and adds their deliveries. Returns the ids of the notices. */
  const issue = async (...notices: readonly Notice[]): Promise<readonly string[]> => {
    const ids: string[] = [];
    let last = 0n;
    for (const notice of notices) {
      const id = randomUUID();
      ids.push(id);
      const network = notice.data.network_id;
      const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network };
      const event = { id, type: 'NoticeIssued', data: { notice, key: id }, metadata };
      last = (await stores.store.append(noticeStream(network, notice.type), [event])).position;
    }
    await fanOut(last);
    return ids;
  };
  const fanOut = async (upTo: bigint) => {
    const end = new AbortController();
    const onMoved = (events: readonly { position: bigint }[]) => {
      if (events.at(-1)!.position >= upTo) end.abort();
    };
    await followNotices({ ...stores, owner: 'test', log, onMoved }, end.signal);
  };
  /** Attempts what is due now, and waits for the attempts. */
  const attempt = async (parts: { post?: PostWebhook; random?: () => number; secretSealer?: SecretSealer } = {}) => {
    const deliveries = createDeliveries({
      postgres: stores.postgres,
      secretSealer,
      post,
      log,
      clock: { now: () => nowMs },
      ...parts,
    });
    const claimed = await deliveries.attemptDue(signal);
    await deliveries.whenIdle();
    return claimed;
  };
  const deliveriesOf = async (id: string) => (await listDeliveries(stores.postgres, id, {}, { limit: 100 }))!;
  const only = async (id: string) => {
    const [delivery, ...others] = await deliveriesOf(id);
    expect(others).to.deep.equal([]);
    return delivery!;
  };

  it('post each notice once, signed, with the id of its event', async () => {
    const { id, secret } = await subscribe();
    const [noticeId] = await issue(dayFinal(1));
    expect([await attempt(), await attempt()]).to.deep.equal([1, 0]);
    const [request] = receiver.received;
    expect(verifyRequest(request!, secret)).to.deep.equal(dayFinal(1));
    expect(request!.headers['webhook-id']).to.equal(noticeId);
    const delivery = await only(id);
    expect(delivery).to.include({ state: 'delivered', noticeId, nextAttemptAt: null });
    expect(delivery.attempts.map(({ status, error }) => [status, error])).to.deep.equal([[204, null]]);
  });

  it('post a test notice, signed, to a subscription to other types', async () => {
    const { id, secret } = await subscribe();
    const timestamp = '2026-08-24T00:00:03.000Z';
    const added = await insertTestDelivery(stores.postgres, id, {}, timestamp);
    expect(await attempt()).to.equal(1);
    const [request] = receiver.received;
    expect(verifyRequest(request!, secret)).to.deep.equal({ type: 'test', timestamp, data: { network_id: 1 } });
    expect(request!.headers['webhook-id']).to.equal(added!.noticeId);
    expect(await only(id)).to.include({ state: 'delivered', noticeId: added!.noticeId });
  });

  it('do not record the attempt of a test that another test replaced meanwhile', async () => {
    const { id } = await subscribe();
    const addTest = () => insertTestDelivery(stores.postgres, id, {}, new Date().toISOString());
    await addTest();
    const post = async () => {
      await addTest();
      const { rows } = await stores.postgres.query('UPDATE webhook_deliveries SET claims = 1 RETURNING id');
      expect(rows).to.have.length(1);
      return { status: 204 };
    };
    expect(await attempt({ post })).to.equal(1);
    expect(await only(id)).to.deep.include({ state: 'pending', attempts: [] });
  });

  it('go only to subscriptions to the type, of the network and of the vendor', async () => {
    await createApiKey(stores.postgres, { vendor: 'acme', networkId: 1 });
    await createApiKey(stores.postgres, { vendor: 'other', networkId: 1 });
    const types: readonly NoticeType[] = ['vendor.silent'];
    const acme = await subscribe({ types, vendor: 'acme' });
    const other = await subscribe({ types, vendor: 'other' });
    const network = await subscribe({ types });
    const foreign = await subscribe({ types, networkId: 2 });
    const otherType = await subscribe({ url: `${receiver.url}/final` });
    await issue(silent(1, 'acme'), silent(2, 'acme'), dayFinal(1));
    const received = async ({ id }: { id: string }) =>
      (await deliveriesOf(id)).map(({ payload }) => {
        const { type, data } = JSON.parse(payload) as Notice;
        return `${type} ${data.network_id}`;
      });
    expect(await received(acme)).to.deep.equal(['vendor.silent 1']);
    expect(await received(other)).to.deep.equal([]);
    expect(await received(network)).to.deep.equal(['vendor.silent 1']);
    expect(await received(foreign)).to.deep.equal(['vendor.silent 2']);
    expect(await received(otherType)).to.deep.equal(['report_day.final 1']);
  });

  it('end with the client, and with the last API key of the vendor', async () => {
    const { postgres } = stores;
    const { client } = await createClient(postgres, { networkIds: [1], name: undefined });
    const { id: keyId } = (await createApiKey(postgres, { vendor: 'leaving', networkId: 1 })).record;
    const partner = await subscribe({ clientId: client.clientId });
    const vendor = await subscribe({ types: ['vendor.silent'], vendor: 'leaving' });
    await issue(dayFinal(1), silent(1, 'leaving'));
    await revokeClient(postgres, client.clientId);
    await revokeApiKey(postgres, keyId);
    await issue(dayFinal(1, '2026-08-21'), silent(1, 'leaving'));
    expect(await attempt()).to.equal(0);
    expect([(await deliveriesOf(partner.id)).length, (await deliveriesOf(vendor.id)).length]).to.deep.equal([1, 1]);
    expect(receiver.received).to.deep.equal([]);
  });

  it('are added once, also if the same notices are read again after a crash', async () => {
    const { id } = await subscribe();
    const before = (await stores.store.readHeadPosition()).toString();
    await issue(dayFinal(1));
    await stores.postgres.query(`UPDATE checkpoints SET position = $1 WHERE projection = 'webhooks'`, [before]);
    await issue(dayFinal(1, '2026-08-21'));
    expect((await deliveriesOf(id)).length).to.equal(2);
  });

  it('are attempted again with growing pauses, and become dead letters after ten attempts', async () => {
    const { id } = await subscribe();
    await issue(dayFinal(1));
    receiver.respond(500);
    const pauses: number[] = [];
    for (let round = 1; round <= 10; round += 1) {
      expect(await attempt({ random: () => 0 }), `attempt ${round}`).to.equal(1);
      const { nextAttemptAt } = await only(id);
      if (nextAttemptAt === null) break;
      pauses.push(nextAttemptAt.getTime() - nowMs);
      nowMs = nextAttemptAt.getTime() - 1;
      expect(await attempt()).to.equal(0);
      nowMs += 1;
    }
    const expected = [10, 40, 160, 640, 2_560, 10_240, 40_960].map((seconds) => seconds * second);
    expect(pauses).to.deep.equal([...expected, 12 * hour, 12 * hour]);
    const delivery = await only(id);
    expect(delivery.state).to.equal('dead');
    expect(delivery.attempts.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 500));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    nowMs += 100 * hour;
    expect(await attempt()).to.equal(0);
  });

  it('have jitter of up to half of the pause', async () => {
    const { id } = await subscribe();
    await issue(dayFinal(1));
    receiver.respond(500);
    await attempt({ random: () => 1 });
    expect((await only(id)).nextAttemptAt!.getTime() - nowMs).to.equal(5 * second);
  });

  it('record why there was no response', async () => {
    const { id } = await subscribe({ url: 'http://127.0.0.1:1/' });
    await issue(dayFinal(1));
    await attempt();
    expect((await only(id)).attempts[0]).to.include({ status: null, error: 'the connection failed: ECONNREFUSED' });
  });

  it('are posted again by an operator, with ten new attempts', async () => {
    const { id } = await subscribe();
    await issue(dayFinal(1), dayFinal(1, '2026-08-21'));
    await attempt();
    await stores.postgres.query(
      `UPDATE webhook_deliveries SET state = 'dead', claims = 10 WHERE subscription_id = $1 AND payload LIKE '%-21%'`,
      [id],
    );
    expect(await requestRedelivery(stores.postgres, id, {}, undefined)).to.equal(1);
    receiver.respond(503);
    nowMs = soonMs();
    expect(await attempt()).to.equal(1);
    const [dead, delivered] = await deliveriesOf(id);
    expect([dead!.state, delivered!.state]).to.deep.equal(['pending', 'delivered']);
    expect(await requestRedelivery(stores.postgres, id, {}, [delivered!.id, randomUUID()])).to.equal(1);
    receiver.respond(204);
    nowMs += minute;
    expect(await attempt()).to.equal(2);
    expect((await deliveriesOf(id)).map(({ state }) => state)).to.deep.equal(['delivered', 'delivered']);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).to.deep.equal([5, 2]);
    expect(await requestRedelivery(stores.postgres, id, { networks: [2] }, undefined)).to.equal(undefined);
  });

  it('are signed with both secrets while they overlap, and with the new one after that', async () => {
    const { id, secret: first } = await subscribe();
    const [next, last] = [createWebhookSecret(), createWebhookSecret()];
    await rotateWebhookSecret(stores.postgres, secretSealer, id, {}, { secret: next, overlapSeconds: 3_600 });
    await issue(dayFinal(1));
    await attempt();
    const [overlapping] = receiver.received;
    expect(verifyRequest(overlapping!, first)).to.deep.equal(dayFinal(1));
    expect(verifyRequest(overlapping!, next)).to.deep.equal(dayFinal(1));
    await issue(dayFinal(1, '2026-08-21'));
    nowMs += 2 * hour;
    await attempt();
    const later = receiver.received[1]!;
    expect(String(later.headers['webhook-signature']).split(' ').length).to.equal(1);
    // The first secret expires at once with a second rotation.
    await rotateWebhookSecret(stores.postgres, secretSealer, id, {}, { secret: last, overlapSeconds: 3_600 });
    nowMs = soonMs();
    await issue(dayFinal(1, '2026-08-22'));
    await attempt();
    const third = receiver.received[2]!;
    expect(() => verifyRequest(third, first)).to.throw();
    expect([verifyRequest(third, next), verifyRequest(third, last)].length).to.equal(2);
  });

  it('wait for the key that sealed the secrets', async () => {
    const { id, secret } = await subscribe();
    await issue(dayFinal(1));
    const changed = createSecretSealer('the-key-of-the-operator-was-changed');
    expect(await attempt({ secretSealer: changed })).to.equal(1);
    expect(receiver.received).to.deep.equal([]);
    expect(await only(id)).to.deep.include({ state: 'pending', attempts: [] });
    nowMs += minute;
    expect(await attempt()).to.equal(1);
    expect(verifyRequest(receiver.received[0]!, secret)).to.deep.equal(dayFinal(1));
  });

  it('are posted again if the process stops between the request and its record', async () => {
    const { id } = await subscribe();
    await issue(dayFinal(1));
    const stopping = new AbortController();
    const stop: PostWebhook = async (request) => {
      const result = await post(request);
      stopping.abort();
      return result;
    };
    const stopped = createDeliveries({
      postgres: stores.postgres,
      secretSealer,
      post: stop,
      log,
      clock: { now: () => nowMs },
    });
    await stopped.attemptDue(stopping.signal);
    await stopped.whenIdle();
    expect((await only(id)).state).to.equal('pending');
    expect(await attempt()).to.equal(0);
    nowMs += minute;
    expect(await attempt()).to.equal(1);
    expect((await only(id)).state).to.equal('delivered');
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).to.deep.equal([2, 1]);
  });

  it('are recorded by the process that claimed them last', async () => {
    const { id } = await subscribe();
    await issue(dayFinal(1));
    let finish: () => void = () => undefined;
    const slow: PostWebhook = () => new Promise((resolve) => (finish = () => resolve({ status: 500 })));
    const late = createDeliveries({
      postgres: stores.postgres,
      secretSealer,
      post: slow,
      log,
      clock: { now: () => nowMs },
    });
    await late.attemptDue(signal);
    nowMs += minute;
    await attempt();
    finish();
    await late.whenIdle();
    const delivery = await only(id);
    expect([delivery.state, delivery.attempts.length]).to.deep.equal(['delivered', 1]);
  });

  it('to a slow subscriber do not delay others', async () => {
    const slow = await subscribe({ url: `${receiver.url}/slow` });
    const fast = await subscribe();
    await issue(...Array.from({ length: 6 }, (_, day) => dayFinal(1, `2026-08-0${day + 1}`)));
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    const parts: PostWebhook = async (request) => {
      if (request.url.endsWith('/slow')) await held;
      return { status: 204 };
    };
    const deliveries = createDeliveries({
      postgres: stores.postgres,
      secretSealer,
      post: parts,
      log,
      clock: { now: () => nowMs },
    });
    const states = async ({ id }: { id: string }) =>
      (await deliveriesOf(id)).filter(({ state }) => state === 'delivered').length;
    await waitUntil(
      async () => {
        await deliveries.attemptDue(signal);
        return states(fast);
      },
      (delivered) => delivered === 6,
    );
    expect(await states(slow)).to.equal(0);
    expect((await stores.postgres.query('SELECT FROM webhook_deliveries WHERE claims > 0')).rowCount).to.equal(10);
    finish();
    await deliveries.whenIdle();
    expect(await states(slow)).to.equal(4);
  });

  it('and secrets that are too old are deleted', async () => {
    const { id } = await subscribe();
    await issue(dayFinal(1), dayFinal(1, '2026-08-21'));
    await stores.postgres.query(
      `UPDATE webhook_deliveries SET created_at = now() - interval '31 days', changed_at = now() - interval '31 days' WHERE payload LIKE '%-21%'`,
    );
    await rotateWebhookSecret(
      stores.postgres,
      secretSealer,
      id,
      {},
      { secret: createWebhookSecret(), overlapSeconds: 0 },
    );
    await pruneWebhooks(stores.postgres);
    expect((await only(id)).payload).to.include('2026-08-20');
    expect((await stores.postgres.query('SELECT FROM webhook_secrets')).rowCount).to.equal(1);
  });
});
