import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { openClickHouseReader, type ClickHouseReader, sql } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';

const tag = 'qwertyuiopasdfgh'; // cspell:disable-line
const rows = '"a","__exception__"\r\n"c","d"\r\n';
const marked = `\r\n__exception__\r\n${tag}\r\nCode: 395. DB::Exception: the secret of the server\n48 ${tag}\r\n__exception__\r\n`;

describe('an error that ClickHouse marks within a response', () => {
  let server: Server;
  let reader: ClickHouseReader;
  let cut = 0;
  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      if (request.url!.includes('param_name=any')) {
        response.end('{"comment":""}\n');
        return;
      }
      const text = rows + marked;
      response.writeHead(200, { 'X-ClickHouse-Exception-Tag': tag });
      response.write(text.slice(0, cut));
      void setImmediate().then(() => response.end(text.slice(cut)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    reader = openClickHouseReader({ url: `http://127.0.0.1:${port}/any`, username: 'any', password: '' });
  });
  after(async () => {
    await reader.close();
    server.close();
  });

  it('is found wherever chunks split it, and is not passed on', async () => {
    for (cut = rows.length - 2; cut < rows.length + 45; cut += 1) {
      const passed: Buffer[] = [];
      const failure = await (async () => {
        for await (const chunk of await reader.stream(sql`SELECT 1`, 'CSVWithNames')) passed.push(chunk as Buffer);
      })().catch((error: unknown) => error);
      expect(failure, `cut at ${cut}`).instanceOf(Error).with.property('message').that.includes('secret of the server');
      expect(rows.startsWith(Buffer.concat(passed).toString()), `cut at ${cut}`).equal(true);
    }
  });
});
