import { createApiKey } from '@popsvc/http-kit/auth';
import { setApiKeyRates } from '@popsvc/platform/postgres';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, play, popPath, sender, type Sender } from './sender.fixture.ts';

const plays = (count: number) => ({ events: Array.from({ length: count }, () => play()) });

describe('command-api: rate limits of a key', () => {
  /** The time of the rate limits; it moves only where a test moves it. */
  let now = 0;
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ rateClock: () => now });
  });
  after(() => api.close());

  const keyOf = async (rates: { requestsPerSecond?: number; eventsPerSecond?: number }): Promise<Sender> => {
    const { apiKey } = await createApiKey(api.postgres, { vendor: 'acme', networkId: 1, ...rates });
    return sender(api.baseUrl, apiKey);
  };

  it('are in the headers of every response, successful or not', async () => {
    const send = await keyOf({ requestsPerSecond: 4, eventsPerSecond: 100 });
    const policy = '"requests";q=8;qu="requests";w=2, "events";q=200;qu="events";w=2';
    const bad = await send(popPath, { events: [play({ durationMs: 0 })] });
    const broken = await send(popPath, '{');
    const text = await send(popPath, 'x', { headers: { 'Content-Type': 'text/plain' } });
    // The event quota of the first request recovers in 10 ms; a request larger than the burst needs a full quota.
    now += 10;
    const good = await send(popPath, plays(1_000));
    expect([bad, broken, text, good].map(({ status }) => status)).to.deep.equal([400, 400, 415, 202]);
    for (const { headers } of [bad, broken, text, good]) {
      expect(headers.get('ratelimit-policy')).to.equal(policy);
    }
    const left = [bad, broken, text, good].map(({ headers }) => headers.get('ratelimit'));
    expect(left).to.deep.equal([
      '"requests";r=7;t=1, "events";r=199;t=1',
      '"requests";r=6;t=1, "events";r=199;t=1',
      '"requests";r=5;t=1, "events";r=199;t=1',
      // The quota is negative for eight seconds and full after ten.
      '"requests";r=4;t=1, "events";r=0;t=10',
    ]);
  });

  it('are not sent to unknown callers or on endpoints without a key', async () => {
    const reply = await sender(api.baseUrl)(popPath, plays(1));
    expect(reply.headers.get('ratelimit')).to.equal(null);
    expect((await fetch(`${api.baseUrl}/healthz`)).headers.get('ratelimit')).to.equal(null);
  });

  it('are 2,000 requests and 100,000 events a second by default', async () => {
    const { headers } = await api.send(popPath, plays(1));
    expect(headers.get('ratelimit-policy')).to.equal(
      '"requests";q=4000;qu="requests";w=2, "events";q=200000;qu="events";w=2',
    );
  });

  it('respond 429 to too many requests before reading their bodies, and accept more after Retry-After', async () => {
    const [send, other] = [await keyOf({ requestsPerSecond: 1 }), await keyOf({ requestsPerSecond: 1 })];
    const good = await Promise.all([send(popPath, plays(1)), send(popPath, plays(1))]);
    const reply = await send(popPath, '{ this is never read');
    expect(good.map(({ status }) => status)).to.deep.equal([202, 202]);
    expectApiError(reply, 429, 'RATE_LIMITED', []);
    expect(reply.headers.get('retry-after')).to.equal('1');
    expect(reply.headers.get('ratelimit')).to.match(/^"requests";r=0;t=2, /);
    expect((await other(popPath, plays(1))).status).to.equal(202);
    now += 999;
    expectApiError(await send(popPath, plays(1)), 429, 'RATE_LIMITED');
    now += 1;
    expect((await send(popPath, plays(1))).status).to.equal(202);
  });

  it('respond 429 to too many events and store none of them', async () => {
    const { apiKey } = await createApiKey(api.postgres, { vendor: 'few', networkId: 1, eventsPerSecond: 10 });
    const send = sender(api.baseUrl, apiKey);
    const first = await send(popPath, plays(18));
    expect(first.status).to.equal(202);
    const reply = await send(popPath, plays(15));
    expectApiError(reply, 429, 'RATE_LIMITED', []);
    expect(reply.headers.get('retry-after')).to.equal('2');
    const day = first.body.acceptedAt!.slice(0, 10).replaceAll('-', '');
    expect(await api.items(`pop-1.few.${day}`)).to.have.length(18);
  });

  it('accept a request larger than the burst and then wait until it is paid off', async () => {
    const send = await keyOf({ eventsPerSecond: 100 });
    expect((await send(popPath, plays(1_000))).status).to.equal(202);
    const reply = await send(popPath, plays(1));
    expectApiError(reply, 429, 'RATE_LIMITED');
    expect(reply.headers.get('retry-after')).to.equal('9');
    now += 8_000;
    expectApiError(await send(popPath, plays(1)), 429, 'RATE_LIMITED');
    now += 1_000;
    expect((await send(popPath, plays(1))).status).to.equal(202);
  });

  it('count the events of rejected requests, since validating them costs as much', async () => {
    const send = await keyOf({ eventsPerSecond: 10 });
    expect(
      (await send(popPath, { events: Array.from({ length: 18 }, () => play({ durationMs: 0 })) })).status,
    ).to.equal(400);
    expectApiError(await send(popPath, plays(15)), 429, 'RATE_LIMITED');
  });

  it('take effect soon after a change', async () => {
    const { apiKey, record } = await createApiKey(api.postgres, { vendor: 'acme', networkId: 1 });
    const policy = async () =>
      (await sender(api.baseUrl, apiKey)(popPath, plays(1))).headers.get('ratelimit-policy') ?? '';
    expect(await policy()).to.include('q=4000;');
    await setApiKeyRates(api.postgres, record.id, { requestsPerSecond: 3_000 });
    expect(await waitUntil(policy, (text) => text.includes('q=6000;')))
      .to.include('"requests";q=6000;')
      .and.to.include('"events";q=200000;');
  });

  it('are counted in a metric by the unit exceeded', async () => {
    expect(await api.metrics.metrics()).to.match(/rate_limited_total\{.*unit="events".*\} [1-9]/);
  });
});
