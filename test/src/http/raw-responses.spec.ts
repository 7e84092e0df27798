import { once } from 'node:events';
import { rawResponse } from '@popsvc/http-kit/server';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { get, serve, type TestServer } from './server.fixture.ts';

describe('http: raw responses', () => {
  let at: TestServer;
  let isHandling = false;
  let closed = 0;
  const content = { ...rawResponse(200, 'text/plain', 'x'), onClosed: () => void closed++ };
  before(async () => {
    at = await serve([
      get('/whole', () => content),
      get('/late', async ({ signal }) => {
        isHandling = true;
        await once(signal, 'abort');
        return content;
      }),
    ]);
  });
  after(() => at.server.close());
  beforeEach(() => {
    closed = 0;
  });
  const untilClosed = () =>
    waitUntil(
      () => Promise.resolve(closed),
      (times) => times > 0,
      10_000,
    );

  it('call onClosed once when they are complete', async () => {
    expect(await (await fetch(`${at.baseUrl}/whole`)).text()).to.equal('x');
    expect(await untilClosed()).to.equal(1);
  });

  it('call onClosed also if the caller disconnected before the response', async () => {
    const leave = new AbortController();
    const request = fetch(`${at.baseUrl}/late`, { signal: leave.signal }).catch(() => undefined);
    await waitUntil(() => Promise.resolve(isHandling), Boolean);
    leave.abort();
    await request;
    expect(await untilClosed()).to.equal(1);
  });
});
