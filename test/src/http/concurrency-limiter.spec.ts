import { Agent, request } from 'node:http';
import { jsonResponse } from '@popsvc/http-kit/server';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';
import { post, serve, type TestServer } from './server.fixture.ts';

describe('http: concurrency-limited routes', () => {
  /** The clock of the limiter. It advances only with the work, so the durations do not depend on the machine. */
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => (clock = sinon.useFakeTimers({ toFake: ['performance'] })));
  afterEach(() => clock.restore());

  /** Duration of the work of a request, which waits for all earlier work. */
  let stepMs = 20;
  /** While set, no request ends. */
  let hold: Promise<void> | undefined;
  let admitted = 0;
  const inTurns = async () => {
    admitted += 1;
    await hold;
    clock.tick(stepMs);
    return jsonResponse(202, {});
  };
  let at: TestServer;
  let authenticated = 0;
  before(async () => {
    const authenticate = () => {
      authenticated += 1;
      return Promise.resolve({ kind: 'operator', role: 'admin' } as const);
    };
    const routes = [
      post('/paced', inTurns, { isConcurrencyLimited: true, access: 'operator' }),
      post('/free', () => jsonResponse(200, {})),
    ];
    at = await serve(routes, { limits: { targetLatencyMs: 1_000 }, authenticate });
  });
  after(() => at.server.close());

  const agent = new Agent({ keepAlive: true });
  after(() => agent.destroy());
  const send = (path: string, body = '[]', over = agent) =>
    new Promise<{ status: number; after: unknown; port: number }>((resolve, reject) => {
      const options = { method: 'POST', agent: over, headers: { 'Content-Type': 'application/json' } };
      const sent = request(`${at.baseUrl}${path}`, options, (response) => {
        const { statusCode: status = 0, headers, socket } = response;
        const port = socket.localPort ?? 0;
        response.resume().once('end', () => resolve({ status, after: headers['retry-after'], port }));
      });
      sent.once('error', reject).end(body);
    });
  /** Sends requests. The admitted ones are held until `release` is called. Resolves when the others have their responses. */
  const holdBurst = async (count: number, body?: string) => {
    let release = () => {};
    hold = new Promise((resolve) => (release = resolve));
    admitted = 0;
    let refused = 0;
    const replies = Array.from({ length: count }, async () => {
      const reply = await send('/paced', body);
      if (reply.status !== 202) refused += 1;
      return reply;
    });
    await waitUntil(
      () => Promise.resolve(admitted + refused),
      (arrived) => arrived === count,
    );
    return { replies: Promise.all(replies), release };
  };
  const burst = async (count: number) => {
    const { replies, release } = await holdBurst(count);
    release();
    return replies;
  };
  const taken = (replies: readonly { readonly status: number }[]) =>
    replies.filter(({ status }) => status === 202).length;

  it('admit a whole burst when latency was low before', async () => {
    expect(taken(await burst(100))).to.equal(100);
  });

  it('then admit what is answered in time, and reject the rest at once and before authentication', async () => {
    const { replies, release } = await holdBurst(100, `"${'x'.repeat(40_000)}"`);
    // No place is free while the admitted requests are held.
    authenticated = 0;
    const late = await Promise.all(Array.from({ length: 10 }, () => send('/paced')));
    expect(authenticated).to.equal(0);
    release();
    const all = await replies;
    expect(taken(all)).to.be.within(32, 80);
    for (const { status, after } of [...all.filter((reply) => reply.status !== 202), ...late])
      expect({ status, after }).to.deep.equal({ status: 503, after: '1' });
  });

  it('keep the connection of a rejected caller, and serve others meanwhile', async () => {
    const busy = await holdBurst(100);
    expect(admitted).to.be.lessThan(100);
    const one = new Agent({ keepAlive: true, maxSockets: 1 });
    const replies = [await send('/paced', '[]', one), await send('/paced', `"${'x'.repeat(300_000)}"`, one)];
    const free = await send('/free', '[]', one);
    expect([...replies, free].map(({ status }) => status)).to.deep.equal([503, 503, 200]);
    expect(new Set([...replies, free].map(({ port }) => port)).size).to.equal(1);
    one.destroy();
    busy.release();
    await busy.replies;
  });

  it('admit as many as before when latency is low again', async () => {
    stepMs = 0;
    for (let round = 0; round < 20 && taken(await burst(60)) < 60; round += 1);
    for (let round = 0; round < 20 && taken(await burst(100)) < 100; round += 1);
    expect(taken(await burst(100))).to.equal(100);
  });
});
