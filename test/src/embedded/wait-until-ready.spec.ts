import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntilReady } from '@popsvc/embedded/start';
import { expect } from 'chai';

describe('the wait of npm start for its services', () => {
  it('ends when all are ready, and returns what is degraded', async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      const isDegraded = request.url?.startsWith('/ops') === true;
      const checks = { clickhouse: 'ok', projection: isDegraded ? 'ahead of the log' : 'ok' };
      response.writeHead(requests === 1 ? 503 : 200);
      response.end(JSON.stringify({ message: isDegraded ? 'degraded' : 'ready', checks }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await waitUntilReady([`${url}/ops`, `${url}/ingest`])).to.deep.equal([
        `degraded at ${url}/ops: projection: ahead of the log\n`,
      ]);
      expect(requests).to.equal(3);
    } finally {
      server.close();
    }
  });
});
