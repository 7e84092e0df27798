import { ConnectionError, createClient, ServiceError } from '@popsvc/client';
import { expect } from 'chai';
import { collectGarbage } from '../support/collect-garbage.ts';
import {
  cutAfter,
  empty,
  hangUp,
  json,
  refusal,
  type Reply,
  type ScriptedServer,
  scriptedServer,
} from './scripted-server.fixture.ts';
import { stillClock } from './still-clock.fixture.ts';

const window = { from: '2026-08-01', to: '2026-08-02' };
const accepted = json(202, { message: 'm', acceptedAt: '2026-08-01T00:00:00.000Z', eventCount: 1 });
const play = {
  eventId: 'e',
  screenId: 's',
  campaignId: 'c',
  creativeId: 'k',
  playedAt: '2026-08-01T00:00:00Z',
  durationMs: 1,
};

describe('retries of the client', () => {
  let server: ScriptedServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  const client = async (replies: readonly Reply[], more: { timeoutMs?: number; retryTimeoutMs?: number } = {}) => {
    const clock = stillClock();
    server = await scriptedServer((_, index) => replies[Math.min(index, replies.length - 1)]!);
    const addresses = { baseUrl: `${server.url}/`, ingestUrl: server.url };
    return {
      clock,
      requests: server.requests,
      client: createClient({ ...addresses, apiKey: 'acme_sk_1', clock, ...more }),
    };
  };
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => expect.fail('the call succeeded'),
      (error: unknown) => error as Error,
    );

  it('wait at least as long as Retry-After, in seconds or as a date', async () => {
    const untilDate: Reply = (response, request) => {
      const soon = new Date(clock.now() + 30_000).toUTCString();
      refusal(503, 'UNAVAILABLE', { 'retry-after': soon })(response, request);
    };
    const replies = [refusal(429, 'RATE_LIMITED', { 'retry-after': '7' }), untilDate, empty];
    const { client: caller, clock, requests } = await client(replies);
    expect((await caller.coffeePage(window)).rows).to.deep.equal([]);
    expect(requests).to.have.length(3);
    expect(clock.slept[0]).to.be.within(7_000, 7_250);
    expect(clock.slept[1]).to.be.within(29_000, 30_250);
  });

  it('use growing pauses without a response and end with a ConnectionError', async () => {
    const { client: caller, clock, requests } = await client([hangUp], { retryTimeoutMs: 10_000 });
    const failure = await failureOf(caller.coffeePage(window));
    expect(failure).to.be.instanceOf(ConnectionError);
    expect(failure.message).to.include('127.0.0.1');
    expect(clock.slept).to.deep.equal([187.5, 375, 750, 1_500, 3_000]);
    expect(requests).to.have.length(6);
  });

  it('do not start when Retry-After exceeds the retry timeout', async () => {
    const { client: caller, clock } = await client([refusal(503, 'UNAVAILABLE', { 'retry-after': '600' })]);
    const failure = await failureOf(caller.coffeePage(window));
    if (!(failure instanceof ServiceError)) throw failure;
    expect(failure).to.deep.include({ status: 503, code: 'UNAVAILABLE', requestId: 'r-1', retryAfterMs: 600_000 });
    expect(failure.details).to.deep.equal([{ path: 'x', message: 'y' }]);
    expect(failure.message).to.equal('rejected: UNAVAILABLE');
    expect(clock.slept).to.deep.equal([]);
  });

  for (const [status, code] of [
    [400, 'INVALID_PARAM'],
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN_NETWORKS'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [413, 'PAYLOAD_TOO_LARGE'],
  ] as const)
    it(`do not follow status ${status}`, async () => {
      const { client: caller, requests } = await client([refusal(status, code)]);
      expect(await failureOf(caller.recordPlays([play]))).to.include({ status, code });
      expect(requests).to.have.length(1);
    });

  it('send the same idempotency key, also while the first request is in progress', async () => {
    const replies = [hangUp, refusal(500, 'INTERNAL'), refusal(409, 'CONFLICT', { 'retry-after': '1' }), accepted];
    const { client: caller, requests } = await client(replies);
    expect(await caller.recordPlays([play])).to.include({ eventCount: 1 });
    expect(requests).to.have.length(4);
    expect(new Set(requests.map(({ body }) => body))).to.deep.equal(new Set([JSON.stringify({ events: [play] })]));
    const [key, ...others] = new Set(requests.map(({ headers }) => headers['idempotency-key']));
    expect(key).to.match(/^[0-9a-f-]{36}$/);
    expect(others).to.deep.equal([]);
    await caller.recordPlays([play]);
    expect(requests[4]!.headers['idempotency-key']).not.to.equal(key);
  });

  it('follow an interrupted page', async () => {
    const { client: caller, requests } = await client([
      cutAfter({ 'content-type': 'application/json' }, '{"status":tr'),
      empty,
    ]);
    expect((await caller.coffeePage(window)).total).to.equal(0);
    expect(requests).to.have.length(2);
  });

  it('end an attempt without a response after its timeout', async () => {
    const { client: caller } = await client([() => undefined], { timeoutMs: 50, retryTimeoutMs: 0 });
    const failure = await failureOf(caller.coffeePage(window));
    expect(failure).to.be.instanceOf(ConnectionError);
    expect(failure.message).to.include('no response within 50 ms');
  });

  it('end an attempt with an incomplete response after its timeout, also after a garbage collection', async () => {
    for (const status of [200, 500]) {
      const begun: Reply = (response) => response.writeHead(status, { 'content-type': 'application/json' }).write('{');
      const leaving = new AbortController();
      for (const more of [{ timeoutMs: 200 }, {}]) {
        const { client: caller } = await client([begun], { ...more, retryTimeoutMs: 0 });
        const failed = failureOf(caller.coffeePage({ ...window, signal: leaving.signal }));
        for (let times = 0; times < 3; times += 1) {
          await new Promise((resolve) => setTimeout(resolve, 30));
          collectGarbage();
        }
        if (more.timeoutMs === undefined) leaving.abort(new Error('enough'));
        expect((await failed).message).to.match(
          more.timeoutMs === undefined ? /^enough$/ : /no response within 200 ms/,
        );
        await server?.close();
        server = undefined;
      }
    }
  });

  it('end at once when the signal is aborted', async () => {
    const leaving = new AbortController();
    const { client: caller, requests } = await client([() => leaving.abort(new Error('enough'))]);
    const work = failureOf(caller.coffeePage({ ...window, signal: leaving.signal }));
    expect((await work).message).to.equal('enough');
    expect(requests).to.have.length(1);
  });

  it('send no credential to a redirect target, and no second request', async () => {
    const { client: caller, requests } = await client([json(302, {}, { location: 'https://127.0.0.1:1/api' })]);
    const failure = await failureOf(caller.coffeePage(window));
    expect(failure.message).to.match(
      /^http:.* redirects to https:\/\/127\.0\.0\.1:1; set the address of the service to it$/,
    );
    expect(requests).to.have.length(1);
  });

  it('do not follow a successful response without a body', async () => {
    const { client: caller, requests } = await client([(response) => response.writeHead(200).end()]);
    const failure = await failureOf(caller.coffeePage(window));
    expect(failure.message).to.equal('The service sent an empty response (status 200).');
    expect(requests).to.have.length(1);
  });

  it('understand error responses of proxies', async () => {
    const gateway: Reply = (response) => response.writeHead(418).end('<html>');
    const { client: caller } = await client([gateway]);
    expect(await failureOf(caller.coffeePage(window))).to.include({ status: 418, code: 'HTTP_418' });
    for (const [body, code, message] of [
      [{ error: { code: 401, message: 'x' } }, 'HTTP_401', 'The service answered 401.'],
      [{ error: null, message: null }, 'HTTP_401', 'The service answered 401.'],
      [{ error: 401, message: { text: 'x' } }, 'HTTP_401', 'The service answered 401.'],
      [{ error: 'Unauthorized', message: 'No.' }, 'Unauthorized', 'No.'],
      [{ error: { code: 'DENIED', details: 'x' } }, 'DENIED', 'The service answered 401.'],
    ] as const) {
      await server?.close();
      const { client: refused } = await client([json(401, body)]);
      const failure = await failureOf(refused.coffeePage(window));
      expect(failure, JSON.stringify(body)).to.be.instanceOf(ServiceError);
      expect(failure).to.deep.include({ status: 401, code, message, details: [] });
    }
  });
});
