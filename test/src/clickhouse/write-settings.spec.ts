import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { sharedClickHouse, type TestClickHouse } from '../support/engines.ts';

/** A server that ignores these settings could lose or duplicate rows. */
describe('assertSettings', () => {
  let server: TestClickHouse;
  let proxy: Server;
  let writer: ClickHouseWriter;
  let alter = (body: string) => body;
  before(async () => {
    server = await sharedClickHouse();
    proxy = createServer((request, response) => {
      const headers = { authorization: request.headers.authorization ?? '' };
      void (async () => {
        const body = await fetch(`${server.url}${request.url}`, {
          method: 'POST',
          headers,
          body: await text(request),
        });
        response.writeHead(body.status).end(alter(await body.text()));
      })();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    writer = openClickHouseWriter({ url: `http://127.0.0.1:${port}/${await server.database()}`, ...server.writer });
  });
  after(async () => {
    await writer.close();
    proxy.close();
  });

  const assertionError = () =>
    writer.assertSettings().then(
      () => '',
      (error: unknown) => String(error),
    );

  it('accepts a server that applies the settings', async () => {
    expect(await assertionError()).to.equal('');
  });

  it('names each setting that the server does not apply or does not know', async () => {
    alter = (body) => body.replace('{"name":"async_insert","value":"0"}', '{"name":"async_insert","value":"1"}');
    expect(await assertionError()).to.match(/async_insert should be 0, is 1$/);
    alter = (body) => body.replace(/\{"name":"insert_deduplicate".*\n/, '');
    expect(await assertionError()).to.match(/insert_deduplicate should be 1, is unknown$/);
  });
});
