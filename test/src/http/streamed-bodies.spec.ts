import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type Route } from '@popsvc/http-kit/server';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';
import { rawRequest } from './raw-request.fixture.ts';
import { get, post, serve, type TestServer } from './server.fixture.ts';

const put = (path: string, handle: Route['handle']) => get(path, handle, { method: 'put', body: 'stream' });

describe('http: streamed bodies', function () {
  let at: TestServer;
  const ended: string[] = [];
  /** Number of bytes of the current body that the handler has received. */
  let received = 0;
  /** While set, the handler of /slow does not read on. */
  let hold: Promise<void> | undefined;
  before(async () => {
    at = await serve(
      [
        put('/count', async ({ bodyChunks }) => {
          try {
            for await (const chunk of bodyChunks) received += chunk.length;
            ended.push('whole');
          } catch (error) {
            ended.push(error instanceof ApiError ? error.message : 'no refusal');
            throw error;
          }
          return jsonResponse(200, { bytes: received });
        }),
        put('/some', async ({ bodyChunks }) => {
          for await (const chunk of bodyChunks) throw new ApiError('PAYLOAD_TOO_LARGE', `${chunk.length} are enough`);
          return jsonResponse(200, {});
        }),
        put('/none', () => jsonResponse(415, {})),
        put('/slow', async ({ bodyChunks }) => {
          for await (const chunk of bodyChunks) {
            received += chunk.length;
            await hold;
          }
          return jsonResponse(200, {});
        }),
        post('/whole', ({ bodyBytes }) => jsonResponse(200, { bytes: bodyBytes.length })),
      ],
      { limits: { bodyIdleTimeoutMs: 400, bodyBytesPerMs: 0.02, bodyTimeoutMs: 400 } },
    );
  });
  after(() => at.server.close());

  /** The clock of all time limits. It is fixed unless a test advances it, so a slow machine does not exceed a limit. */
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    [ended.length, received] = [0, 0];
  });
  afterEach(() => clock.restore());

  const until = (isMet: () => boolean) => waitUntil(() => Promise.resolve(isMet()), Boolean);
  /** Begins a request. `answered` resolves with its response. */
  const begin = (path: string) => {
    const request = httpRequest(at.baseUrl + path, { method: 'PUT' });
    return { request, answered: once(request, 'response') as Promise<[IncomingMessage]> };
  };
  const send = async (path: string, body: Buffer) => {
    const { request, answered } = begin(path);
    request.end(body);
    const [response] = await answered;
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode, text };
  };

  it('arrive unchanged, in any size', async () => {
    expect((await send('/count', Buffer.alloc(20_000_000))).text).to.equal('{"bytes":20000000}');
    received = 0;
    expect((await send('/count', Buffer.alloc(0))).text).to.equal('{"bytes":0}');
  });

  it('have no time limit while data arrives fast enough', async () => {
    const { request, answered } = begin('/count');
    for (let piece = 1; piece <= 8; piece++) {
      // At the minimum rate, these bytes may take 300 ms.
      request.write('abcdef');
      await until(() => received === piece * 6);
      clock.tick(250);
    }
    request.end();
    const [response] = await answered;
    expect(response.statusCode).to.equal(200);
    response.resume();
  });

  it('are rejected with 408 when data arrives more slowly than the minimum rate', async () => {
    const socket = connect(at.port, '127.0.0.1');
    const answered = once(socket, 'data') as Promise<[Buffer]>;
    socket.write('PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n');
    // Each byte restores 50 ms of the 400 ms.
    for (let bytes = 1; bytes <= 7; bytes++) {
      expect(ended).to.deep.equal([]);
      socket.write('x');
      await until(() => received === bytes);
      clock.tick(100);
    }
    const [answer] = await answered;
    socket.destroy();
    expect(answer.toString()).to.match(/^HTTP\/1\.1 408 /);
  });

  it('are rejected with 408 when no data arrives', async () => {
    const answered = rawRequest(at.port, 'PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc');
    await until(() => received === 3);
    clock.tick(400);
    const answer = await answered;
    expect(answer).to.match(/^HTTP\/1\.1 408 /);
    expect(answer).to.match(/connection: close/i);
    expect(ended).to.deep.equal(['The body stopped arriving, or arrived too slowly.']);
  });

  it('have the usual time limit where they are read into memory', async () => {
    const socket = connect(at.port, '127.0.0.1');
    const answered = once(socket, 'data') as Promise<[Buffer]>;
    const arrived = once(at.server.node, 'request') as Promise<[IncomingMessage]>;
    socket.write('POST /whole HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n');
    const [request] = await arrived;
    await until(() => clock.countTimers() > 0);
    for (let bytes = 1; bytes <= 4; bytes++) {
      const before = request.socket.bytesRead;
      socket.write(' ');
      await until(() => request.socket.bytesRead > before);
      clock.tick(100);
    }
    const [answer] = await answered;
    socket.destroy();
    expect(answer.toString()).to.match(/^HTTP\/1\.1 408 /);
  });

  it('report a broken connection to the reader', async () => {
    const socket = connect(at.port, '127.0.0.1');
    socket.write('PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\nabc');
    await until(() => received === 3);
    socket.destroy();
    await until(() => ended.length > 0);
    expect(ended).to.deep.equal(['The body ended before it was complete.']);
  });

  it('wait for a slow reader without a timeout', async () => {
    let release = () => {};
    hold = new Promise((resolve) => (release = resolve));
    const arrived = once(at.server.node, 'request') as Promise<[IncomingMessage]>;
    const { request, answered } = begin('/slow');
    request.end(Buffer.alloc(16_000_000));
    const [{ socket }] = await arrived;
    const readBefore = socket.bytesRead;
    await until(() => received > 0);
    clock.tick(10_000);
    await sleep(100);
    // The rest stays at the sender, not in the memory of the service.
    expect(socket.bytesRead - readBefore).to.be.lessThan(4_000_000);
    release();
    const [response] = await answered;
    expect([response.statusCode, received]).to.deep.equal([200, 16_000_000]);
    response.resume();
  });

  for (const [path, status] of [
    ['/some', 413],
    ['/none', 415],
  ] as const)
    it(`are answered before they are read completely (${path})`, async () => {
      expect((await send(path, Buffer.alloc(8_000_000))).status).to.equal(status);
      expect((await send('/count', Buffer.from('x'))).status).to.equal(200);
    });

  for (const [path, invited] of [
    ['/count', true],
    ['/none', false],
  ] as const)
    it(`are ${invited ? '' : 'not '}invited with 100 Continue (${path})`, async () => {
      const socket = connect(at.port, '127.0.0.1');
      socket.write(`PUT ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(answer.toString()).to.match(invited ? /^HTTP\/1\.1 100 Continue/ : /^HTTP\/1\.1 415 /);
    });
});
