import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { jsonResponse, type ServerLimits } from '@popsvc/http-kit/server';
import type { Authenticate } from '@popsvc/http-kit/auth';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { post, serve, type TestServer } from './server.fixture.ts';

const whenClosed = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => request.once('close', () => resolve()));

/** Takes the header X-Key as the id of the caller's API key. With the header X-Wait, ends only when the caller has left. */
const createAuthenticate =
  (onWait: (request: IncomingMessage) => void): Authenticate =>
  async (request) => {
    if (request.headers['x-wait'] !== undefined) {
      onWait(request);
      await whenClosed(request);
    }
    return {
      kind: 'api-key',
      keyId: String(request.headers['x-key']),
      network: 1,
      vendor: 'acme',
      rates: { requestsPerSecond: 1_000, eventsPerSecond: 1_000 },
    };
  };

const send = async (at: TestServer, key: string, body = '{}') => {
  const headers = { 'Content-Type': 'application/json', 'X-Key': key };
  const response = await fetch(`${at.baseUrl}/body`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
};
const status = async (at: TestServer, key: string, body?: string) => (await send(at, key, body)).status;

describe('http: shares of callers', () => {
  const servers: TestServer[] = [];
  const sockets: Socket[] = [];
  const start = async (limits: Partial<ServerLimits>, onWait: (request: IncomingMessage) => void = () => undefined) => {
    const routes = [post('/body', () => jsonResponse(200, {}), { access: 'ingest', maxBytes: 1_000_000 })];
    const at = await serve(routes, { authenticate: createAuthenticate(onWait), limits });
    servers.push(at);
    return at;
  };
  /** Begins requests whose bodies never end. */
  const begin = (at: TestServer, key: string, count: number, part = '{', headers = '') => {
    for (let index = 0; index < count; index++) {
      const socket = connect(at.port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      socket.write(
        `POST /body HTTP/1.1\r\nHost: x\r\nX-Key: ${key}\r\n${headers}Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n${part}`,
      );
    }
  };
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => Promise.all(servers.map(({ server }) => server.close())));

  it('bound how many bodies of one caller arrive at a time', async () => {
    const at = await start({ bodiesPerCaller: 3 });
    begin(at, 'slow', 3);
    await waitUntil(
      () => status(at, 'slow'),
      (found) => found === 429,
    );
    expect((await send(at, 'slow')).text).to.include('At most 3 request bodies are allowed at a time.');
    expect(await status(at, 'other')).to.equal(200);
    for (const socket of sockets) socket.destroy();
    await waitUntil(
      () => status(at, 'slow'),
      (found) => found === 200,
    );
  });

  it('do not include a caller who left during its authentication', async () => {
    const callers = new EventEmitter();
    const waiting = once(callers, 'wait') as Promise<[IncomingMessage]>;
    const at = await start({ bodiesPerCaller: 1 }, (request) => callers.emit('wait', request));
    begin(at, 'leaving', 1, '{', 'X-Wait: 1\r\n');
    const closed = whenClosed((await waiting)[0]);
    for (const socket of sockets) socket.destroy();
    await closed;
    // The rest of the request is handled before the next one arrives.
    expect(await status(at, 'leaving')).to.equal(200);
  });

  it('leave half of the memory for bodies to other callers', async () => {
    const at = await start({ bodyBytesInFlight: 1_000_000 });
    begin(at, 'slow', 2, 'x'.repeat(240_000));
    const body = JSON.stringify('x'.repeat(300_000));
    await waitUntil(
      () => status(at, 'slow', body),
      (found) => found === 429,
    );
    expect(await status(at, 'other', body)).to.equal(200);
  });
});
