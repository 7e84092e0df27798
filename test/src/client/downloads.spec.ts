import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ConnectionError, createClient } from '@popsvc/client';
import { expect } from 'chai';
import { collectGarbage } from '../support/collect-garbage.ts';
import { temporaryFolder } from '@popsvc/tools/rig';
import { cutAfter, refusal, type Reply, type ScriptedServer, scriptedServer } from './scripted-server.fixture.ts';
import { stillClock } from './still-clock.fixture.ts';

const window = { from: '2026-08-01', to: '2026-08-02' };
const headers = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="coffee_20260801_20260802.csv"',
  'x-data-as-of': '2026-08-03T00:00:00.000Z',
};
const megabyte = Buffer.alloc(1_048_576, 'EVENT_ID,PLAYOUT\r\n');

describe('a download into a file', () => {
  let server: ScriptedServer;
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await temporaryFolder('downloads');
    path = join(folder, 'coffee.csv');
  });
  afterEach(() => server.close());

  const client = async (...replies: readonly Reply[]) => {
    server = await scriptedServer((_, index) => replies[Math.min(index, replies.length - 1)]!);
    return createClient({ baseUrl: server.url, apiKey: 'acme_sk_1', clock: stillClock() });
  };
  const whole: Reply = (response) => response.writeHead(200, headers).end('EVENT_ID\r\ne-1\r\n');

  it('returns its details and replaces an existing file', async () => {
    const partner = await client(refusal(429, 'RATE_LIMITED', { 'retry-after': '5' }), whole);
    const asOf = new Date('2026-08-02T12:00:00Z');
    await writeFile(path, 'an existing file that is longer than the new one');
    expect(
      await partner.downloadCoffee({ ...window, siteId: [2, 3], excelSafe: true, limit: 10, asOf }, path),
    ).to.deep.equal({
      path,
      bytes: 15,
      fileName: 'coffee_20260801_20260802.csv',
      contentType: 'text/csv; charset=utf-8',
      asOf: '2026-08-03T00:00:00.000Z',
    });
    expect(await readFile(path, 'utf8')).to.equal('EVENT_ID\r\ne-1\r\n');
    expect(await readdir(folder)).to.deep.equal(['coffee.csv']);
    const requested = new URL(server.requests[1]!.path, server.url);
    expect(requested.pathname).to.equal('/api/v1/coffee/download');
    expect([...requested.searchParams].toSorted().join(' ')).to.equal(
      'as_of,2026-08-02T12:00:00.000Z excel_safe,true from,2026-08-01 limit,10 site_id,2 site_id,3 to,2026-08-02',
    );
  });

  for (const [kind, reply] of [
    ['plain', cutAfter(headers, megabyte, megabyte)],
    ['with a content length', cutAfter({ ...headers, 'content-length': String(3 * megabyte.length) }, megabyte)],
    ['compressed', cutAfter({ ...headers, 'content-encoding': 'gzip' }, gzipSync(megabyte).subarray(0, -20))],
  ] as const)
    it(`interrupted (${kind}) fails and leaves no file`, async () => {
      const partner = await client(reply);
      await writeFile(path, 'as it was');
      const failure = await partner.downloadCoffee(window, path).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(ConnectionError);
      expect(failure).to.have.property('message').that.includes('interrupted the response');
      expect(await readdir(folder)).to.deep.equal(['coffee.csv']);
      expect(await readFile(path, 'utf8')).to.equal('as it was');
      expect(server.requests).to.have.length(1);
    });

  it('into a missing folder fails and creates nothing', async () => {
    const partner = await client(whole);
    const failure = await partner
      .downloadCoffee(window, join(folder, 'absent', 'x.csv'))
      .catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'ENOENT');
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('ends with the transfer when its signal is aborted', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const endless: Reply = (response) => {
      closed = once(response, 'close');
      response.writeHead(200, headers);
      const more = () =>
        response.destroyed || (response.write(megabyte) ? setImmediate(more) : response.once('drain', more));
      more();
    };
    const partner = await client(endless);
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(new Error('enough')), 50);
    const work = partner.downloadCoffee({ ...window, signal: leaving.signal }, path);
    expect(await work.catch((error: unknown) => error)).to.have.property('message', 'enough');
    expect(await readdir(folder)).to.deep.equal([]);
    await closed;
  });

  it('of a large file is written as it arrives, so that memory holds little of it', async () => {
    const total = 200 * megabyte.length;
    let [sent, mostUnwritten] = [0, 0];
    const written = () => readdirSync(folder).reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0);
    const much: Reply = (response) => {
      response.writeHead(200, headers);
      const more = () => {
        mostUnwritten = Math.max(mostUnwritten, sent - written());
        if (sent === total) {
          response.end();
          return;
        }
        sent += megabyte.length;
        if (response.write(megabyte)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    };
    const partner = await client(much);
    const { bytes } = await partner.downloadCoffee(window, path);
    expect(bytes).to.equal(total);
    // The connection itself holds a few megabytes.
    expect(mostUnwritten).to.be.lessThan(total / 2);
  });

  it('ends when its signal is aborted after a garbage collection', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const partner = await client((response) => {
      closed = once(response, 'close');
      response.writeHead(200, headers).write('EVENT_ID\r\n');
    });
    const leaving = new AbortController();
    const { body } = await partner.streamCoffee({ ...window, signal: leaving.signal });
    const failed = once(body.resume(), 'end').catch((error: unknown) => error);
    for (let times = 0; times < 3; times += 1) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    leaving.abort(new Error('enough'));
    expect(await failed).to.have.property('message', 'enough');
    await closed;
  });

  it('can be read as a stream', async () => {
    const partner = await client(whole);
    const { body, fileName } = await partner.streamCoffee(window);
    expect(fileName).to.equal('coffee_20260801_20260802.csv');
    expect((await body.toArray()).join('')).to.equal('EVENT_ID\r\ne-1\r\n');
  });
});
