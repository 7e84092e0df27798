import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { expect } from 'chai';
import { rawRequest } from './raw-request.fixture.ts';
import { get, post, serve, type TestServer } from './server.fixture.ts';

const put = (path: string, handle: Route['handle']) => get(path, handle, { method: 'put', body: 'stream' });

describe('http: streamed bodies', function () {
  let at: TestServer;
  const ended: string[] = [];
  before(async () => {
    at = await serve(
      [
        put('/count', async ({ bodyChunks }) => {
          let bytes = 0;
          try {
            for await (const chunk of bodyChunks) bytes += chunk.length;
            ended.push('whole');
          } catch (error) {
            ended.push(error instanceof ApiError ? error.message : 'no refusal');
            throw error;
          }
          return jsonResponse(200, { bytes });
        }),
        put('/some', async ({ bodyChunks }) => {
          for await (const chunk of bodyChunks) throw new ApiError('PAYLOAD_TOO_LARGE', `${chunk.length} are enough`);
          return jsonResponse(200, {});
        }),
        put('/none', () => jsonResponse(415, {})),
        put('/slow', async ({ bodyChunks }) => {
          for await (const chunk of bodyChunks) await sleep(chunk.length > 0 ? 5 : 0);
          return jsonResponse(200, {});
        }),
        post('/whole', ({ bodyBytes }) => jsonResponse(200, { bytes: bodyBytes.length })),
      ],
      { limits: { bodyIdleTimeoutMs: 400, bodyBytesPerMs: 0.02, bodyTimeoutMs: 400 } },
    );
  });
  after(() => at.server.close());

  it('arrive unchanged, in any size', async () => {
    const response = await fetch(`${at.baseUrl}/count`, { method: 'PUT', body: Buffer.alloc(20_000_000) });
    expect(await response.json()).to.deep.equal({ bytes: 20_000_000 });
    expect(await (await fetch(`${at.baseUrl}/count`, { method: 'PUT' })).json()).to.deep.equal({ bytes: 0 });
  });

  it('have no time limit while data arrives fast enough', async () => {
    const request = httpRequest(`${at.baseUrl}/count`, { method: 'PUT' });
    const answered = once(request, 'response') as Promise<[{ statusCode: number }]>;
    for (let piece = 0; piece < 8; piece++) {
      // At the minimum rate, these bytes may take 300 ms.
      request.write('abcdef');
      await sleep(150);
    }
    request.end();
    const [response] = await answered;
    expect(response.statusCode).to.equal(200);
  });

  it('are rejected with 408 when data arrives more slowly than the minimum rate', async () => {
    const socket = connect(at.port, '127.0.0.1');
    socket.write('PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n');
    const startedAt = performance.now();
    const drip = setInterval(() => socket.write('x'), 100);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    clearInterval(drip);
    socket.destroy();
    expect(answer.toString()).to.match(/^HTTP\/1\.1 408 /);
    expect(performance.now() - startedAt).to.be.within(400, 5_000);
  });

  it('are rejected with 408 when no data arrives', async () => {
    const answer = await rawRequest(at.port, 'PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc', 5_000);
    expect(answer).to.match(/^HTTP\/1\.1 408 /);
    expect(answer).to.match(/connection: close/i);
    expect(ended.at(-1)).to.equal('The body stopped arriving, or arrived too slowly.');
  });

  it('have the usual time limit where they are read into memory', async () => {
    const socket = connect(at.port, '127.0.0.1');
    socket.write('POST /whole HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n');
    const trickle = setInterval(() => socket.write(' '), 50);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    clearInterval(trickle);
    socket.destroy();
    expect(answer.toString()).to.match(/^HTTP\/1\.1 408 /);
  });

  it('report a broken connection to the reader', async () => {
    const socket = connect(at.port, '127.0.0.1');
    socket.write('PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\nabc');
    await sleep(50);
    socket.destroy();
    await sleep(100);
    expect(ended.at(-1)).to.equal('The body ended before it was complete.');
  });

  it('wait for a slow reader without a timeout', async () => {
    const before = process.memoryUsage().rss;
    const response = await fetch(`${at.baseUrl}/slow`, { method: 'PUT', body: Buffer.alloc(16_000_000) });
    expect(response.status).to.equal(200);
    expect(process.memoryUsage().rss - before).to.be.lessThan(100_000_000);
  });

  for (const [path, status] of [
    ['/some', 413],
    ['/none', 415],
  ] as const)
    it(`are answered before they are read completely (${path})`, async () => {
      const response = await fetch(at.baseUrl + path, { method: 'PUT', body: Buffer.alloc(8_000_000) });
      expect(response.status).to.equal(status);
      await response.arrayBuffer();
      expect((await fetch(`${at.baseUrl}/count`, { method: 'PUT', body: 'x' })).status).to.equal(200);
    });

  for (const [path, invited] of [
    ['/count', true],
    ['/none', false],
  ] as const)
    it(`are ${invited ? '' : 'not '}invited with 100 Continue (${path})`, async () => {
      const head = `PUT ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`;
      const answer = await rawRequest(at.port, head, 200);
      expect(answer.startsWith('HTTP/1.1 100 Continue')).to.equal(invited);
      if (!invited) expect(answer).to.match(/^HTTP\/1\.1 415 /);
    });
});
