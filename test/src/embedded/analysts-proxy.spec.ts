import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createAnalystsProxy } from '@popsvc/embedded/clickhouse';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';

describe('queries of analysts', () => {
  /** The queries that the engine received and has not answered. */
  const running: { readonly text: string; readonly response: ServerResponse }[] = [];
  const servers: Server[] = [];
  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  let enginePort = 0;
  /** How many queries have had their login checked, which is the last step before they wait. */
  let logins = 0;
  before(async () => {
    enginePort = await listen(
      createServer((request, response) => {
        void request.toArray().then((chunks) => running.push({ text: Buffer.concat(chunks).toString(), response }));
      }),
    );
  });
  after(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  /** Starts a proxy that runs one query at a time. Returns a function that sends one. */
  const startProxy = async (maxWaitMs: number) => {
    const port = await listen(
      createAnalystsProxy({
        enginePort,
        enginePassword: 'unused',
        checkLogin: () => {
          logins += 1;
          return Promise.resolve(true);
        },
        killQuery: () => Promise.resolve(),
        maxRunning: 1,
        maxWaitMs,
      }),
    );
    return (text: string, signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('anna:secret').toString('base64')}` },
        body: text,
        ...(signal && { signal }),
      });
  };
  const runs = (text: string) =>
    waitUntil(
      () => Promise.resolve(running.map((each) => each.text)),
      (texts) => texts.join() === text,
    );
  const answer = () => running.shift()!.response.end('1\n');

  it('are refused after they waited for the limit', async () => {
    const send = await startProxy(50);
    const first = send('SELECT 1');
    await runs('SELECT 1');
    const refused = await send('SELECT 2');
    expect(refused.status).to.equal(503);
    expect(await refused.text()).to.equal('Too many queries of analysts are running; retry later.\n');
    answer();
    expect((await first).status).to.equal(200);
  });

  it('are not run when the client left while they waited', async () => {
    const send = await startProxy(60_000);
    logins = 0;
    const first = send('SELECT 1');
    await runs('SELECT 1');
    const leaving = new AbortController();
    const left = send('SELECT 2', leaving.signal).catch((error: unknown) => (error as Error).name);
    const staying = send('SELECT 3');
    await waitUntil(
      () => Promise.resolve(logins),
      (count) => count === 3,
    );
    leaving.abort();
    expect(await left).to.equal('AbortError');
    answer();
    await runs('SELECT 3');
    answer();
    for (const each of [first, staying]) expect((await each).status).to.equal(200);
  });

  it('are refused with the reason if they have more than 1 MiB', async () => {
    await startProxy(50);
    const client = connect((servers.at(-1)!.address() as AddressInfo).port, '127.0.0.1');
    const query = Buffer.alloc(8 * 1024 * 1024, ' ');
    client.write(`POST / HTTP/1.1\r\nHost: proxy\r\nContent-Length: ${query.length}\r\n\r\n`);
    // As clients that read the response only after they have sent the whole query, such as those that use Python's urllib.
    await new Promise<void>((sent, fail) => {
      client.once('error', fail).write(query, () => sent());
    });
    const response = Buffer.concat(await client.toArray()).toString();
    expect(response)
      .to.match(/^HTTP\/1\.1 413 /)
      .and.to.include('A query has at most 1 MiB.\n');
  });
});
