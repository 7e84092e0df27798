import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { consoleRoutes } from '@popsvc/ops-api/server';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { serve, type TestServer } from '../http/server.fixture.ts';

const folder = fileURLToPath(new URL('../../../console/dist/page', import.meta.url));
const log = createLog('test', 'silent');

/** All that is loaded, packed, in bytes. */
const most = 80_000;

describe('the console, as it is served', () => {
  let server: TestServer;
  before(async () => {
    server = await serve(consoleRoutes(folder, log));
  });
  after(() => server.server.close());

  const page = () => fetch(`${server.baseUrl}/`);
  const named = async () =>
    [...(await (await page()).text()).matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path!);

  it('is a page that is asked for each time, under a strict policy', async () => {
    const { status, headers } = await page();
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-cache');
    expect(headers.get('content-security-policy')).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
  });

  it('holds no script and no style itself', async () => {
    const text = await (await page()).text();
    expect(text).to.match(/<script type="module" [^>]*src=/);
    expect(text).not.to.match(/<style|<script>| style=| on\w+=/);
  });

  it('names parts that may be kept for ever', async () => {
    const parts = await named();
    expect(parts).to.have.length.greaterThan(1);
    for (const path of parts) {
      const { status, headers } = await fetch(`${server.baseUrl}/${path}`, { headers: { 'accept-encoding': 'gzip' } });
      expect(status, path).to.equal(200);
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).to.match(/^text\/(javascript|css); charset=utf-8$/);
      expect(headers.get('content-encoding')).to.equal('gzip');
    }
  });

  it(`is small: under ${most / 1_000} kB`, () => {
    const sizes = readdirSync(`${folder}/assets`).map(
      (name) => gzipSync(readFileSync(`${folder}/assets/${name}`)).length,
    );
    const sum = sizes.reduce((all, size) => all + size, 0);
    expect(sum).to.be.greaterThan(10_000).and.be.lessThan(most);
  });

  it('is not there where it was not built, and the server is all the same', () => {
    expect(consoleRoutes(`${folder}/nowhere`, log)).to.deep.equal([]);
  });
});
