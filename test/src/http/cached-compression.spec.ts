import { allowCompression, cacheCompressed, rawResponse } from '@popsvc/http-kit/server';
import { expect } from 'chai';
import { get, serve, type TestServer } from './server.fixture.ts';

describe('a response that is cached', () => {
  let server: TestServer;
  const lasting = Buffer.alloc(5_000, 'a');
  const passing = Buffer.alloc(5_000, 'a');
  before(async () => {
    server = await serve([
      get('/lasting', () => cacheCompressed(rawResponse(200, 'text/plain', lasting))),
      get('/passing', () => allowCompression(rawResponse(200, 'text/plain', passing))),
    ]);
  });
  after(() => server.server.close());

  const first = async (path: string, coding: string) => {
    const answer = await fetch(`${server.baseUrl}${path}`, { headers: { 'accept-encoding': coding } });
    expect(answer.headers.get('content-encoding')).to.equal(coding === 'gzip' ? 'gzip' : null);
    const text = await answer.text();
    expect(text).to.have.length(5_000);
    return text[0];
  };

  it('is compressed at the first request only', async () => {
    expect([await first('/lasting', 'gzip'), await first('/passing', 'gzip')]).to.deep.equal(['a', 'a']);
    // Production code never changes a cached buffer; here the change shows when the content was compressed.
    for (const content of [lasting, passing]) content.fill('b');
    expect([await first('/lasting', 'gzip'), await first('/passing', 'gzip')]).to.deep.equal(['a', 'b']);
    expect(await first('/lasting', 'identity')).to.equal('b');
  });
});
