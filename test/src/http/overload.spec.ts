import { connect } from 'node:net';
import { promisify } from 'node:util';
import { jsonResponse } from '@popsvc/http-kit/server';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { rawRequest } from './raw-request.fixture.ts';
import { get, post, serve, type TestServer } from './server.fixture.ts';

const jsonHeaders = { 'Content-Type': 'application/json' };

describe('http: overload and stopping', () => {
  const servers: TestServer[] = [];
  const started = async (...given: Parameters<typeof serve>) => {
    const at = await serve(...given);
    servers.push(at);
    return at;
  };
  after(() => Promise.all(servers.map(({ server }) => server.close())));

  it('rejects requests above the concurrency limit with 503 and Retry-After, and admits probes', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = () => released.then(() => jsonResponse(200, {}));
    const at = await started([get('/held', held)], { limits: { requestsInFlight: 4 } });
    const shed: (string | null)[] = [];
    const replies = Array.from({ length: 12 }, async () => {
      const response = await fetch(`${at.baseUrl}/held`);
      if (response.status === 503) shed.push(response.headers.get('retry-after'));
      return response.status;
    });
    // The rejected requests do not wait for the others.
    await waitUntil(
      () => Promise.resolve(shed.length),
      (count) => count === 8,
    );
    expect((await fetch(`${at.baseUrl}/healthz`)).status).to.equal(200);
    for (const path of ['/readyz', '/readyz?verbose'])
      expect((await fetch(`${at.baseUrl}${path}`)).status, path).to.equal(200);
    release();
    expect((await Promise.all(replies)).filter((status) => status === 200)).to.have.length(4);
    expect(shed).to.deep.equal(Array.from({ length: 8 }, () => '1'));
  });

  it('rejects bodies above the memory limit, and accepts bodies again afterwards', async () => {
    let release = () => {};
    let released = Promise.resolve();
    const held = () => released.then(() => jsonResponse(200, {}));
    const at = await started([post('/held', held, { maxBytes: 1_000_000 })], {
      limits: { bodyBytesInFlight: 1_000_000 },
    });
    for (let round = 0; round < 3; round++) {
      released = new Promise((resolve) => (release = resolve));
      let rejected = 0;
      const replies = Array.from({ length: 4 }, async () => {
        const request = { method: 'POST', headers: jsonHeaders, body: `"${'x'.repeat(400_000)}"` };
        const { status } = await fetch(`${at.baseUrl}/held`, request);
        if (status === 503) rejected += 1;
        return status;
      });
      // The accepted requests are held, so their bodies stay in memory until the others are rejected.
      await waitUntil(
        () => Promise.resolve(rejected),
        (count) => count === 2,
      );
      release();
      expect((await Promise.all(replies)).sort()).to.deep.equal([200, 200, 503, 503]);
    }
  });

  it('times out headers and bodies that arrive too slowly', async function () {
    const at = await started([post('/x', () => jsonResponse(200, {}))], {
      limits: { headersTimeoutMs: 500, bodyTimeoutMs: 1_000 },
    });
    const headers = await rawRequest(at.port, 'GET /x HTTP/1.1\r\nHost: x\r\nX-Slow');
    expect(headers).to.match(/^HTTP\/1\.1 408 /);
    const head = 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    expect(await rawRequest(at.port, head)).to.match(/^HTTP\/1\.1 408 /);
  });

  it('limits the number of connections', async () => {
    const at = await started([get('/x', () => jsonResponse(200, {}))], { limits: { connections: 3 } });
    const idle = Array.from({ length: 3 }, () => connect(at.port, '127.0.0.1'));
    const connectionsOf = ({ server }: TestServer) => promisify(server.node.getConnections.bind(server.node))();
    await waitUntil(
      () => connectionsOf(at),
      (count) => count === 3,
    );
    expect(await rawRequest(at.port, 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n')).to.equal('');
    for (const socket of idle) socket.destroy();
    await waitUntil(
      () => connectionsOf(at),
      (count) => count === 0,
    );
    expect((await fetch(`${at.baseUrl}/x`)).status).to.equal(200);
  });

  it('names an unavailable dependency without details', async () => {
    let broken = true;
    const at = await started([], {
      checks: {
        store: () => (broken ? Promise.reject(new Error('password=hunter2 at 10.0.0.7')) : Promise.resolve()),
        slow: () => (broken ? new Promise(() => undefined) : Promise.resolve()),
        other: () => Promise.resolve(),
      },
    });
    const down = await fetch(`${at.baseUrl}/readyz`);
    const body = (await down.json()) as { error: { code: string; details: unknown } };
    expect({ status: down.status, ...body.error }).to.deep.equal({
      status: 503,
      code: 'UNAVAILABLE',
      details: [
        { path: 'store', message: 'does not answer' },
        { path: 'slow', message: 'does not answer' },
      ],
    });
    expect(JSON.stringify(body)).to.not.match(/hunter2|10\.0\.0\.7/);
    broken = false;
    expect((await fetch(`${at.baseUrl}/readyz`)).status).to.equal(200);
  });

  it('completes running requests when it is closed, and accepts no new ones', async () => {
    let release = () => {};
    let isHandled = false;
    const released = new Promise<void>((resolve) => (release = resolve));
    const handle = async () => {
      isHandled = true;
      await released;
      return jsonResponse(200, { done: true });
    };
    const at = await serve([get('/slow', handle)], { limits: { drainTimeoutMs: 60_000 } });
    const running = fetch(`${at.baseUrl}/slow`);
    await waitUntil(() => Promise.resolve(isHandled), Boolean);
    const closing = at.server.close();
    release();
    const response = await running;
    expect(await response.json()).to.deep.equal({ done: true });
    await closing;
    const after = await fetch(`${at.baseUrl}/slow`).then(
      () => 'served',
      () => 'refused',
    );
    expect(after).to.equal('refused');
  });

  it('closes in time despite a request that never ends', async () => {
    let isHandled = false;
    const handle = () => {
      isHandled = true;
      return new Promise<never>(() => undefined);
    };
    const at = await serve([get('/never', handle)], { limits: { drainTimeoutMs: 300 } });
    const running = fetch(`${at.baseUrl}/never`).catch(() => 'cut');
    await waitUntil(() => Promise.resolve(isHandled), Boolean);
    const began = performance.now();
    await at.server.close();
    expect(performance.now() - began).to.be.at.least(250);
    expect(await running).to.equal('cut');
  });
});
