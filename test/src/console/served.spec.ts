import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { consoleRoutes } from '@popsvc/ops-api/server';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { serve, type TestServer } from '../http/server.fixture.ts';

const pageFolder = fileURLToPath(new URL('../../../console/dist/page', import.meta.url));
const log = createLog('test', 'silent');

/** Of all files together, compressed. */
const maxSizeBytes = 80_000;

describe('the served console', () => {
  let server: TestServer;
  before(async () => {
    server = await serve(consoleRoutes(pageFolder, log));
  });
  after(() => server.server.close());

  const fetchPage = () => fetch(`${server.baseUrl}/`);
  const linkedFiles = async () =>
    [...(await (await fetchPage()).text()).matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path!);

  it('sends the page uncached, with a strict content security policy', async () => {
    const { status, headers } = await fetchPage();
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-cache');
    expect(headers.get('content-security-policy')).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
  });

  it('has no inline script or style', async () => {
    const text = await (await fetchPage()).text();
    expect(text).to.match(/<script type="module" [^>]*src=/);
    expect(text).not.to.match(/<style|<script>| style=| on\w+=/);
  });

  it('links files that are compressed and cached forever', async () => {
    const paths = await linkedFiles();
    expect(paths).to.have.length.greaterThan(1);
    for (const path of paths) {
      const { status, headers } = await fetch(`${server.baseUrl}/${path}`, { headers: { 'accept-encoding': 'gzip' } });
      expect(status, path).to.equal(200);
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).to.match(/^text\/(javascript|css); charset=utf-8$/);
      expect(headers.get('content-encoding')).to.equal('gzip');
    }
  });

  it(`is smaller than ${maxSizeBytes / 1_000} kB`, () => {
    const sizes = readdirSync(`${pageFolder}/assets`).map(
      (name) => gzipSync(readFileSync(`${pageFolder}/assets/${name}`)).length,
    );
    const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(sizeBytes).to.be.greaterThan(10_000).and.be.lessThan(maxSizeBytes);
  });

  it('has no routes if the page is not built', () => {
    expect(consoleRoutes(`${pageFolder}/nowhere`, log)).to.deep.equal([]);
  });
});
