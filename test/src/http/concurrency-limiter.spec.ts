import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse } from '@popsvc/platform/http';
import { expect } from 'chai';
import { post, serve, type TestServer } from './server.fixture.ts';

describe('http: concurrency-limited routes', () => {
  /** Duration of the work of a request, which waits for all earlier work. */
  let stepMs = 20;
  let last: Promise<unknown> = Promise.resolve();
  /** While set, no request ends. */
  let hold: Promise<void> | undefined;
  const inTurns = async () => {
    await hold;
    if (stepMs > 0) await (last = last.then(() => sleep(stepMs)));
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
  const burst = (count: number) => Promise.all(Array.from({ length: count }, () => send('/paced')));
  const taken = (replies: readonly { readonly status: number }[]) =>
    replies.filter(({ status }) => status === 202).length;

  it('admit a whole burst when latency was low before', async () => {
    expect(taken(await burst(100))).to.equal(100);
  });

  it('then admit what is answered in time, and reject the rest at once and before authentication', async () => {
    authenticated = 0;
    const [began, refusedMs] = [performance.now(), [] as number[]];
    const replies = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const reply = await send('/paced', `"${'x'.repeat(40_000)}"`);
        if (reply.status !== 202) refusedMs.push(performance.now() - began);
        return reply;
      }),
    );
    const refused = replies.filter(({ status }) => status !== 202);
    expect(taken(replies)).to.be.within(32, 80);
    for (const { status, after } of refused) expect({ status, after }).to.deep.equal({ status: 503, after: '1' });
    // The admitted requests took at least 640 ms.
    expect(Math.max(...refusedMs)).to.be.lessThan(performance.now() - began - 200);
    expect(authenticated).to.be.lessThan(100);
  });

  it('keep the connection of a rejected caller, and serve others meanwhile', async () => {
    let release = () => {};
    hold = new Promise((resolve) => (release = resolve));
    const busy = Array.from({ length: 100 }, () => send('/paced'));
    // The admitted requests wait, so the first response is a rejection, and no place becomes free.
    expect((await Promise.race(busy)).status).to.equal(503);
    const one = new Agent({ keepAlive: true, maxSockets: 1 });
    const replies = [await send('/paced', '[]', one), await send('/paced', `"${'x'.repeat(300_000)}"`, one)];
    const free = await send('/free', '[]', one);
    expect([...replies, free].map(({ status }) => status)).to.deep.equal([503, 503, 200]);
    expect(new Set([...replies, free].map(({ port }) => port)).size).to.equal(1);
    one.destroy();
    hold = undefined;
    release();
    await Promise.all(busy);
  });

  it('admit as many as before when latency is low again', async () => {
    stepMs = 0;
    for (let round = 0; round < 20 && taken(await burst(60)) < 60; round += 1);
    for (let round = 0; round < 20 && taken(await burst(100)) < 100; round += 1);
    expect(taken(await burst(100))).to.equal(100);
  });
});
