import { inspect } from 'node:util';
import { createClient } from '@popsvc/client';
import { expect } from 'chai';
import {
  empty,
  hangUp,
  type ReceivedRequest,
  json,
  refusal,
  type Reply,
  type ScriptedServer,
  scriptedServer,
  tokens,
} from './scripted-server.fixture.ts';
import { stillClock } from './still-clock.fixture.ts';

const window = { from: '2026-08-01', to: '2026-08-02' };
const isForToken = ({ path }: ReceivedRequest) => path === '/oauth/token';

describe('access tokens of the client', () => {
  let server: ScriptedServer;
  afterEach(() => server.close());

  const partner = async (
    answer: (request: ReceivedRequest, index: number) => Reply,
    token: () => Reply = tokens(900),
  ) => {
    const clock = stillClock();
    let replied = 0;
    server = await scriptedServer((request) => (isForToken(request) ? token() : answer(request, replied++)));
    const client = createClient({ baseUrl: server.url, clientId: 'c-1', clientSecret: 'hush-hush', clock });
    const authorizations = () =>
      server.requests.filter((request) => !isForToken(request)).map(({ headers }) => headers.authorization);
    return { client, clock, authorizations, tokenRequests: () => server.requests.filter(isForToken).length };
  };

  it('are requested once for concurrent requests, with a form', async () => {
    const { client, authorizations, tokenRequests } = await partner(() => empty);
    await Promise.all(Array.from({ length: 20 }, () => client.coffeePage(window)));
    expect(tokenRequests()).to.equal(1);
    expect(new Set(authorizations())).to.deep.equal(new Set(['Bearer token-1']));
    const { method, headers, body } = server.requests.find(isForToken)!;
    expect(method).to.equal('POST');
    expect(headers['content-type']).to.match(/^application\/x-www-form-urlencoded/);
    expect(Object.fromEntries(new URLSearchParams(body))).to.deep.equal({
      grant_type: 'client_credentials',
      client_id: 'c-1',
      client_secret: 'hush-hush',
    });
  });

  it('are reused until 30 s before they expire', async () => {
    const { client, clock, authorizations, tokenRequests } = await partner(() => empty);
    await client.coffeePage(window);
    clock.pass(870_000);
    await client.coffeePage(window);
    expect(tokenRequests()).to.equal(1);
    clock.pass(1);
    await client.coffeePage(window);
    expect(authorizations()).to.deep.equal(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  it('are renewed once after a 401, for all concurrent requests', async () => {
    const { client, authorizations, tokenRequests } = await partner(({ headers }) =>
      headers.authorization === 'Bearer token-1' ? refusal(401, 'UNAUTHORIZED') : empty,
    );
    await Promise.all(Array.from({ length: 5 }, () => client.coffeePage(window)));
    expect(tokenRequests()).to.equal(2);
    expect(authorizations().filter((header) => header === 'Bearer token-2')).to.have.length(5);
  });

  it('are not requested again when the new token is rejected too', async () => {
    const { client, tokenRequests } = await partner(() => refusal(401, 'UNAUTHORIZED'));
    const failure = await client.coffeePage(window).catch((error: unknown) => error);
    expect(failure).to.include({ status: 401, code: 'UNAUTHORIZED' });
    expect(tokenRequests()).to.equal(2);
  });

  it('are kept when a 401 names a network or site', async () => {
    const network = { path: 'X-Network-Name', message: 'is not a network of this token' };
    const { client, tokenRequests } = await partner(() => refusal(401, 'UNAUTHORIZED', {}, [network]));
    const failure = await client.coffeePage({ ...window, network: 'Elsewhere' }).catch((error: unknown) => error);
    expect(failure)
      .to.include({ status: 401 })
      .and.to.deep.include({ details: [network] });
    await client.coffeePage(window).catch(() => undefined);
    expect(tokenRequests()).to.equal(1);
  });

  it('are requested again without a response, but not after invalid_client', async () => {
    const replies = [hangUp, tokens(900)(), json(401, { error: 'invalid_client', error_description: 'not right' })];
    const { client, clock, tokenRequests } = await partner(
      () => empty,
      () => replies[tokenRequests() - 1]!,
    );
    await client.coffeePage(window);
    expect(tokenRequests()).to.equal(2);
    clock.pass(900_000);
    const failure = await client.coffeePage(window).catch((error: unknown) => error);
    expect(failure).to.include({ status: 401, code: 'invalid_client', message: 'not right' });
    expect(tokenRequests()).to.equal(3);
  });

  it('are still delivered to other requests when the first one is aborted', async () => {
    let give: () => void = () => undefined;
    const slow: Reply = (response, request) => {
      give = () => tokens(900)()(response, request);
    };
    const { client, tokenRequests } = await partner(
      () => empty,
      () => slow,
    );
    const leaving = new AbortController();
    const first = client.coffeePage({ ...window, signal: leaving.signal }).catch((error: unknown) => error);
    const second = client.coffeePage(window);
    while (tokenRequests() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    leaving.abort(new Error('gone'));
    expect(await first).to.include({ message: 'gone' });
    give();
    expect((await second).total).to.equal(0);
    expect(tokenRequests()).to.equal(1);
  });

  it('are not requested for a request whose signal is already aborted', async () => {
    const { client, tokenRequests } = await partner(
      () => empty,
      () => json(401, { error: 'invalid_client' }),
    );
    const signal = AbortSignal.abort(new Error('gone'));
    const failure = await client.coffeePage({ ...window, signal }).catch((error: unknown) => error);
    expect(failure).to.include({ message: 'gone' });
    // A token request would have been sent before this request.
    await fetch(server.url);
    expect(tokenRequests()).to.equal(0);
  });

  it('and the secret appear neither in the client nor in its errors', async () => {
    const { client } = await partner(() => refusal(400, 'INVALID_PARAM'));
    const failure = await client.coffeePage(window).catch((error: unknown) => error);
    for (const value of [client, failure]) {
      const seen = inspect(value, { depth: 10, showHidden: true }) + JSON.stringify(value);
      expect(seen).to.not.match(/hush-hush|token-1/);
    }
  });

  it('are not requested at a URL with a password, and invalid API keys are not sent', async () => {
    const [clientId, clientSecret] = ['a-partner', 'hush-hush'];
    const attempts: (() => unknown)[] = ['acme_sk_hush-hush\nx', 'acme_sk_hush-hush\u2026', ''].map(
      (apiKey) => () => createClient({ baseUrl: 'http://127.0.0.1', apiKey }),
    );
    for (const addresses of [
      { baseUrl: 'http://a:hush-hush@127.0.0.1' },
      { baseUrl: 'http://127.0.0.1', tokenUrl: 'http://a:hush-hush@127.0.0.1/token' },
      { baseUrl: 'hush-hush' },
    ])
      attempts.push(() => createClient({ ...addresses, clientId, clientSecret }).metricDefinitions());
    for (const attempt of attempts) {
      const failure = await Promise.resolve()
        .then(attempt)
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(TypeError);
      expect(inspect(failure, { depth: 10, showHidden: true })).to.not.include('hush-hush');
    }
  });
});
