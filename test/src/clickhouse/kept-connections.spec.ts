import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ClickHouseReader, openClickHouseReader, sql } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';

describe('connections of a reader', () => {
  let server: Server;
  let reader: ClickHouseReader;
  let received: string[];
  /** Whether the server closes the connection of the nth query without a response. */
  let closes: (query: number) => boolean;

  beforeEach(async () => {
    received = [];
    closes = () => false;
    server = createServer((request, response) => {
      void text(request).then((statement) => {
        const isShardCheck = statement.startsWith('SELECT comment');
        if (!isShardCheck && closes(received.push(statement))) return void request.socket.destroy();
        const row = isShardCheck ? { comment: '' } : { n: received.length };
        response.writeHead(200, { 'X-ClickHouse-Exception-Tag': 'tag' }).end(`${JSON.stringify(row)}\n`);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    reader = openClickHouseReader({ url: `http://127.0.0.1:${port}/popsvc`, username: 'any', password: '' });
  });
  afterEach(async () => {
    await reader.close();
    server.closeAllConnections();
    server.close();
  });
  const read = () => reader.rows<{ n: number }>(sql`SELECT 1 AS n`);

  it('are opened again if the server closes an idle one while it is used', async () => {
    expect(await read()).to.deep.equal([{ n: 1 }]);
    closes = (query) => query === 2;
    expect(await read()).to.deep.equal([{ n: 3 }]);
  });

  it('are an error if the server closes a new one', async () => {
    closes = () => true;
    const error = await read().catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'UNAVAILABLE' });
    expect(received).length(1);
  });

  it('are not opened any more after the reader was closed', async () => {
    await read();
    await reader.close();
    const error = await read().catch((reason: unknown) => reason);
    expect(error).to.be.an('error');
    expect(received).length(1);
  });
});
