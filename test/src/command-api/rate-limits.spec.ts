import { createApiKey } from '@popsvc/platform/auth';
import { setApiKeyRates } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, play, popPath, sender, type Sender } from './sender.fixture.ts';

const plays = (count: number) => ({ events: Array.from({ length: count }, () => play()) });

describe('command-api: rate limits of a key', () => {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
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
    await new Promise((resolve) => setTimeout(resolve, 50));
    const good = await send(popPath, plays(1_000));
    expect([bad, broken, text, good].map(({ status }) => status)).to.deep.equal([400, 400, 415, 202]);
    for (const { headers } of [bad, broken, text, good]) {
      expect(headers.get('ratelimit-policy')).to.equal(policy);
      expect(headers.get('ratelimit')).to.match(/^"requests";r=[4-8];t=[01], "events";r=\d+;t=\d+$/);
    }
    // The quota is negative for eight seconds and full after ten.
    expect(good.headers.get('ratelimit')).to.match(/"events";r=0;t=([5-9]|10)$/);
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
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect((await send(popPath, plays(1))).status).to.equal(202);
  });

  it('respond 429 to too many events and store none of them', async () => {
    const { apiKey } = await createApiKey(api.postgres, { vendor: 'few', networkId: 1, eventsPerSecond: 10 });
    const send = sender(api.baseUrl, apiKey);
    const first = await send(popPath, plays(18));
    expect(first.status).to.equal(202);
    const reply = await send(popPath, plays(15));
    expectApiError(reply, 429, 'RATE_LIMITED', []);
    expect(Number(reply.headers.get('retry-after'))).to.be.within(1, 2);
    const day = first.body.acceptedAt!.slice(0, 10).replaceAll('-', '');
    expect(await api.items(`pop-1.few.${day}`)).to.have.length(18);
  });

  it('accept a request larger than the burst and then wait until it is paid off', async () => {
    const send = await keyOf({ eventsPerSecond: 100 });
    expect((await send(popPath, plays(1_000))).status).to.equal(202);
    const reply = await send(popPath, plays(1));
    expectApiError(reply, 429, 'RATE_LIMITED');
    expect(Number(reply.headers.get('retry-after'))).to.be.within(7, 9);
  });

  it('count the events of rejected requests, since validating them costs as much', async () => {
    const send = await keyOf({ eventsPerSecond: 10 });
    expect(
      (await send(popPath, { events: Array.from({ length: 18 }, () => play({ durationMs: 0 })) })).status,
    ).to.equal(400);
    expectApiError(await send(popPath, plays(15)), 429, 'RATE_LIMITED');
  });

  it('take effect within 5 s of a change', async () => {
    const { apiKey, record } = await createApiKey(api.postgres, { vendor: 'acme', networkId: 1 });
    const policy = async () =>
      (await sender(api.baseUrl, apiKey)(popPath, plays(1))).headers.get('ratelimit-policy') ?? '';
    expect(await policy()).to.include('q=4000;');
    await setApiKeyRates(api.postgres, record.id, { requestsPerSecond: 3_000 });
    const until = performance.now() + 15_000;
    while (!(await policy()).includes('q=6000;') && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await policy())
      .to.include('"requests";q=6000;')
      .and.to.include('"events";q=200000;');
  });

  it('are counted in a metric by the unit exceeded', async () => {
    expect(await api.metrics.metrics()).to.match(/rate_limited_total\{.*unit="events".*\} [1-9]/);
  });
});
