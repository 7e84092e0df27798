import { expect } from 'chai';
import { get, serve, type TestServer } from './server.fixture.ts';
import { jsonResponse } from '@popsvc/http-kit/server';

describe('message classes of Express', () => {
  let server: TestServer;
  before(async () => {
    server = await serve([get('/things', () => Promise.resolve(jsonResponse(200, {})))]);
  });
  after(() => server.server.close());

  it('keep Express from replacing the prototypes of requests and responses', async () => {
    const observed: unknown[][] = [];
    server.server.node.prependOnceListener('request', (request, response) => {
      const observe = () =>
        observed.push([request, response].map((message) => Object.getPrototypeOf(message) as unknown));
      observe();
      response.once('finish', observe);
    });
    await (await fetch(`${server.baseUrl}/things`)).text();
    const [created, finished] = observed;
    expect(finished?.map((prototype, index) => prototype === created?.[index])).to.deep.equal([true, true]);
  });
});
