import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { areDemoCredentialsAccepted, mayRegisterDemo } from '@popsvc/embedded/start';
import { expect } from 'chai';

describe('the credentials of the demo network', () => {
  /** Whether a service that responds with these statuses accepts the credentials. */
  const areAccepted = async (ofKey: number, ofClient: number): Promise<boolean> => {
    const server = createServer((request, response) =>
      response.writeHead(request.url === '/oauth/token' ? ofClient : ofKey).end(),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const accepted = await areDemoCredentialsAccepted({
      query_base_url: url,
      ingest_base_url: url,
      ops_base_url: url,
      token_url: `${url}/oauth/token`,
      operator_token: 'token',
      api_key: 'key',
      client_id: 'client',
      client_secret: 'secret',
      network_ids: [1],
    });
    server.close();
    return accepted;
  };

  it('are not accepted once the key or the client is revoked, or the network retired', async () => {
    expect(await areAccepted(401, 200)).to.equal(false);
    expect(await areAccepted(403, 200)).to.equal(false);
    expect(await areAccepted(200, 401)).to.equal(false);
  });

  it('are accepted while the service is only unavailable', async () => {
    expect(await areAccepted(200, 200)).to.equal(true);
    expect(await areAccepted(503, 503)).to.equal(true);
  });
});

describe('the demo network', () => {
  const demo = { id: 1, name: 'Demo network' };
  const mayRegister = async (networks: readonly object[], isRequested: boolean): Promise<boolean> => {
    const server = createServer((_, response) => response.end(JSON.stringify({ networks }))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await mayRegisterDemo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token', isRequested);
    } finally {
      server.close();
    }
  };

  it('is registered without a request only if there is no other network', async () => {
    expect(await mayRegister([], false)).to.equal(true);
    expect(await mayRegister([demo], false)).to.equal(true);
    expect(await mayRegister([demo, { id: 90, name: 'Harbour Media' }], false)).to.equal(false);
  });

  it('is added to others on request, and never replaces one', async () => {
    expect(await mayRegister([{ id: 90, name: 'Harbour Media' }], true)).to.equal(true);
    for (const isRequested of [false, true])
      expect(await mayRegister([{ id: 1, name: 'Harbour Media' }], isRequested)).to.equal(false);
  });
});
