import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse, rawResponse, defaultServerLimits } from '@popsvc/http-kit/server';
import { expect } from 'chai';
import { rawRequest } from '../http/raw-request.fixture.ts';
import { get, post, serve, type TestServer } from '../http/server.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';

/** More bytes than the socket buffers of both sides hold. */
const large = Buffer.alloc(48 * 1024 * 1024, 'x');

describe('idle connections', function () {
  const servers: TestServer[] = [];
  const started = async (limits: Partial<typeof defaultServerLimits>) => {
    const at = await serve(
      [
        get('/large', () => rawResponse(200, 'text/plain', large)),
        get('/small', () => jsonResponse(200, {})),
        post('/body', ({ body }) => jsonResponse(200, { body })),
      ],
      { limits },
    );
    servers.push(at);
    return at;
  };
  after(() => Promise.all(servers.map(({ server }) => server.close())));

  const ended = (socket: Socket) => once(socket.on('error', () => undefined).resume(), 'close');
  const statusOf = async (at: TestServer, path = '/small') => (await fetch(at.baseUrl + path)).status;

  for (const [how, pace] of [
    ['never', 0],
    ['a byte now and then', 50],
  ] as const)
    it(`do not block others for long when a response is read ${how}`, async () => {
      const at = await started({ requestsInFlight: 6, responseTimeoutMs: 500, responseBytesPerMs: 100_000 });
      const held = Array.from({ length: 6 }, () => connect(at.port, '127.0.0.1').on('error', () => undefined));
      for (const socket of held) socket.pause().write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
      const reading =
        pace > 0 &&
        setInterval(() => {
          for (const socket of held) socket.read(1);
        }, pace);
      await waitUntil(
        () => statusOf(at),
        (status) => status === 503,
      );
      await waitUntil(
        () => statusOf(at),
        (status) => status === 200,
        5_000,
      );
      if (reading) clearInterval(reading);
      for (const socket of held) socket.destroy();
    });

  it('are not assumed of a slow reader that continues', async () => {
    const at = await started({ responseTimeoutMs: 1_000, responseBytesPerMs: 5_000 });
    const socket = connect(at.port, '127.0.0.1');
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let got = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      got += chunk.length;
      if (got % 16 === 0) await sleep(1);
    }
    expect(got).to.be.above(large.length);
  });

  it('are closed without a request or with incomplete headers', async () => {
    const at = await started({ headersTimeoutMs: 300 });
    const began = performance.now();
    const silent = ended(connect(at.port, '127.0.0.1'));
    const slow = connect(at.port, '127.0.0.1');
    slow.write('GET /small HTTP/1.1\r\nHost: x\r\n');
    const trickle = setInterval(() => slow.write('X-A: 1\r\n'), 100);
    await Promise.all([silent, ended(slow)]);
    clearInterval(trickle);
    // The server checks every two seconds.
    expect(performance.now() - began).to.be.below(20_000);
  });

  it('have default timeouts', () => {
    const { node } = servers[0]!.server;
    expect(node).to.include({
      headersTimeout: 10_000,
      keepAliveTimeout: 65_000,
      maxConnections: 2_048,
    });
    expect(defaultServerLimits).to.include({
      headerBytes: 32_768,
      bodyTimeoutMs: 30_000,
      bodyIdleTimeoutMs: 30_000,
      responseTimeoutMs: 30_000,
    });
  });

  if (process.env['POPSVC_LONG'] === '1')
    it('end within 15 s with the default limits', async () => {
      const at = await started({});
      const began = performance.now();
      const slow = connect(at.port, '127.0.0.1');
      slow.write('POST /body HTTP/1.1\r\nHost: x\r\nContent-Ty');
      const trickle = setInterval(() => slow.write('x'), 1_000);
      await ended(slow);
      clearInterval(trickle);
      expect(performance.now() - began).to.be.within(9_000, 15_000);
      const head = 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{';
      expect(await rawRequest(at.port, head, 40_000)).to.match(/^HTTP\/1\.1 408 /);
    });
});
