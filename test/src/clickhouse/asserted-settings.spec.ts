import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { sharedClickHouse, type TestClickHouse } from '../support/engines.ts';

/** Every write relies on them, and a server that goes by others of its own would lose rows or double them. */
describe('settings that writes rely on', () => {
  let server: TestClickHouse;
  let between: Server;
  let writer: ClickHouseWriter;
  let told = (answer: string) => answer;
  before(async () => {
    server = await sharedClickHouse();
    between = createServer((request, response) => {
      const headers = { authorization: request.headers.authorization ?? '' };
      void (async () => {
        const answer = await fetch(`${server.url}${request.url}`, {
          method: 'POST',
          headers,
          body: await text(request),
        });
        response.writeHead(answer.status).end(told(await answer.text()));
      })();
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const { port } = between.address() as AddressInfo;
    writer = openClickHouseWriter({ url: `http://127.0.0.1:${port}/${await server.database()}`, ...server.writer });
  });
  after(async () => {
    await writer.close();
    between.close();
  });

  const refusal = () =>
    writer.assertSettings().then(
      () => '',
      (error: unknown) => String(error),
    );

  it('are those that the server goes by', async () => {
    expect(await refusal()).to.equal('');
  });

  it('are missed by name where it goes by others, or does not know them', async () => {
    told = (answer) => answer.replace('{"name":"async_insert","value":"0"}', '{"name":"async_insert","value":"1"}');
    expect(await refusal()).to.match(/async_insert should be 0, is 1$/);
    told = (answer) => answer.replace(/\{"name":"insert_deduplicate".*\n/, '');
    expect(await refusal()).to.match(/insert_deduplicate should be 1, is unknown$/);
  });
});
