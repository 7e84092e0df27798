import { connect } from 'node:net';
import { coffee } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { rowsOfOneSecond } from './downloads.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const pageSize = 1_000;
/** Together far more than the operating system keeps of a connection that is not read. */
const slowRequests = 10;
const fastRequests = 30;
const path = `/api/v1/coffee?from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z&limit=${pageSize}`;

/** Sends requests over one connection without reading. `readAll` reads the bodies of all responses. */
const requestWithoutReading = (url: string, headers: Readonly<Record<string, string>>, count: number) => {
  const { hostname, port } = new URL(url);
  const fields = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  socket.write(`GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`.repeat(count));
  const readAll = async (): Promise<readonly string[]> => {
    const bodies: string[] = [];
    let received = Buffer.alloc(0);
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const start = received.indexOf('\r\n\r\n') + 4;
        const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, start))?.[1];
        if (start < 4 || length === undefined || received.length < start + Number(length)) break;
        bodies.push(received.toString('utf8', start, start + Number(length)));
        received = received.subarray(start + Number(length));
      }
      if (bodies.length === count) break;
    }
    return bodies;
  };
  return readAll;
};

describe('pages of callers that read slowly', () => {
  let api: TestQueryApi;
  const tokens: string[] = [];
  const read = async (token: string) => (await api.get(path, bearer(token))).text();

  before(async () => {
    api = await startTestQueryApi();
    for (const network_id of [1, 2]) {
      await api.register([{ id: network_id, name: `Network ${network_id}`, sites: [11] }]);
      const rows = rowsOfOneSecond(pageSize).map((row) => ({ ...row, network_id, event_id: `event-of-${network_id}` }));
      await api.insert(coffee, rows);
      tokens.push((await api.client(network_id)).token);
    }
  });
  after(() => api.close());

  it('hold no bytes of the pages that are sent to others in between', async () => {
    const [own, others] = await Promise.all(tokens.map(read));
    expect(own).include('event-of-1').and.not.include('event-of-2');
    const readAll = requestWithoutReading(api.url, bearer(tokens[0]!), slowRequests);
    for (let request = 0; request < fastRequests; request += 1) expect((await read(tokens[1]!)) === others).equal(true);
    const bodies = await readAll();
    expect(bodies).length(slowRequests);
    for (const body of bodies) expect(body === own).equal(true);
  });
});
