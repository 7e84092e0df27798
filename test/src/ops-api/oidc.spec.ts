import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOidcSignIn } from '@popsvc/http-kit/auth';
import { Secret } from '@popsvc/platform/config';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestOps, type TestOps } from './ops.fixture.ts';

const client = { id: 'console', secret: 'a secret of the console: 100% + more' };

/** The claims of the users of the provider, by login. */
const users: Readonly<Record<string, object>> = {
  jane: { preferred_username: 'jane', groups: ['staff', 'operator'] },
  ada: { email: 'ada@example.com', groups: 'admin' },
  lara: { preferred_username: 'l'.repeat(300), groups: 'viewer' },
  otto: { preferred_username: 'otto', groups: ['staff', 'owner'] },
};

const createProvider = async (issuer: string, redirectUri: string): Promise<Provider> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...users[id] }) }),
  });
};

interface Page {
  readonly url: string;
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

/** A browser without scripts: it keeps the cookies of each origin, and follows redirects only on request. */
const createBrowser = () => {
  const cookies = new Map<string, Map<string, string>>();
  const open = async (url: string, form?: Readonly<Record<string, string>>): Promise<Page> => {
    const { origin } = new URL(url);
    const jar = cookies.get(origin) ?? new Map<string, string>();
    cookies.set(origin, jar);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      location: location === null ? null : new URL(location, url).href,
      text: await response.text(),
    };
  };
  /** Follows redirects until a page has none or `isEnd` is true of the next address. */
  const follow = async (first: Page, isEnd: (url: string) => boolean): Promise<Page> => {
    let page = first;
    while (page.location !== null && !isEnd(page.location)) page = await open(page.location);
    return page;
  };
  return { cookies, open, follow };
};

describe('sign-in with an OpenID provider', () => {
  let system: TestOps;
  let providerServer: Server;
  let issuer: string;
  let redirectUri: string;
  let handle: ReturnType<Provider['callback']> | undefined;
  before(async () => {
    providerServer = createServer((request, response) => {
      if (handle) void handle(request, response);
      else response.writeHead(503).end();
    });
    await new Promise<void>((resolve) => providerServer.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(providerServer.address() as AddressInfo).port}`;
    const options = { issuer, clientId: client.id, clientSecret: new Secret(client.secret), roleClaim: 'groups' };
    system = await startTestOps({ oidc: createOidcSignIn(options, createLog('test', 'silent')) });
    redirectUri = `${system.baseUrl}/ops/v1/session/oidc/callback`;
  });
  after(async () => {
    providerServer.closeAllConnections();
    providerServer.close();
    await system.close();
  });

  const beginUrl = (uri = redirectUri) =>
    `${system.baseUrl}/ops/v1/session/oidc?redirect_uri=${encodeURIComponent(uri)}`;
  const isCallback = (url: string) => url.startsWith(redirectUri);
  const submit = (browser: ReturnType<typeof createBrowser>, { text, url }: Page, fields: Record<string, string>) =>
    browser.open(new URL(/action="([^"]+)"/.exec(text)![1]!, url).href, fields);

  /** Signs in at the provider. Returns the address of its redirect to the console. */
  const signInAtProvider = async (browser: ReturnType<typeof createBrowser>, login: string): Promise<string> => {
    const form = await browser.follow(await browser.open(beginUrl()), isCallback);
    const submitted = await submit(browser, form, { prompt: 'login', login, password: 'any' });
    const consent = await browser.follow(submitted, isCallback);
    const done = await browser.follow(await submit(browser, consent, { prompt: 'consent' }), isCallback);
    return done.location!;
  };
  const showSession = async (browser: ReturnType<typeof createBrowser>) =>
    JSON.parse((await browser.open(`${system.baseUrl}/ops/v1/session`)).text) as {
      account: string;
      role: string;
      until: string;
    };

  it('answers 503 while the provider is away, and works when it is back', async () => {
    const { status, text } = await createBrowser().open(beginUrl());
    expect([status, (JSON.parse(text) as { message: string }).message]).to.deep.equal([
      503,
      'The OpenID provider does not answer, or its configuration is not valid.',
    ]);
    handle = (await createProvider(issuer, redirectUri)).callback();
    expect((await createBrowser().open(beginUrl())).status).to.equal(302);
    const methods = await createBrowser().open(`${system.baseUrl}/ops/v1/session/methods`);
    expect(JSON.parse(methods.text)).to.deep.equal({ oidc: true });
  });

  it('uses PKCE, state and nonce, each new', async () => {
    const [first, second] = [await createBrowser().open(beginUrl()), await createBrowser().open(beginUrl())];
    const parameters = [first, second].map(({ location }) => new URL(location!).searchParams);
    expect(Object.fromEntries(parameters[0]!)).to.include({
      client_id: client.id,
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: redirectUri,
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(parameters[0]!.get(name), name).to.be.a('string').and.not.equal(parameters[1]!.get(name));
  });

  it('opens a session of four hours with the highest role of the claim, and records it in the audit log', async () => {
    const browser = createBrowser();
    const end = await browser.open(await signInAtProvider(browser, 'jane'));
    expect([end.status, end.location]).to.deep.equal([302, `${system.baseUrl}/`]);
    const session = await showSession(browser);
    expect(session).to.include({ account: 'oidc:jane (jane)', role: 'operator' });
    expect(Date.parse(session.until)).to.be.closeTo(Date.now() + 4 * 3_600_000, 60_000);
    await waitUntil(
      () => system.request('GET', `/audit?actor=${encodeURIComponent(session.account)}`),
      ({ body }) => (body as { actions: readonly { action: string }[] }).actions[0]?.action === 'openSession',
    );
    const another = createBrowser();
    await another.open(await signInAtProvider(another, 'ada'));
    expect(await showSession(another)).to.include({ account: 'oidc:ada@example.com (ada)', role: 'admin' });
  });

  it('names an account by its subject also if its username is long', async () => {
    const browser = createBrowser();
    await browser.open(await signInAtProvider(browser, 'lara'));
    const { account } = await showSession(browser);
    expect(account).to.match(/^oidc:l+ \(lara\)$/);
    expect((await system.request('GET', `/audit?actor=${encodeURIComponent(account)}`)).status).to.equal(200);
  });

  it('refuses a user without a role', async () => {
    const browser = createBrowser();
    const { location } = await browser.open(await signInAtProvider(browser, 'otto'));
    expect(location).to.equal(`${system.baseUrl}/#/?sign-in=role-missing`);
    expect((await browser.open(`${system.baseUrl}/ops/v1/session`)).status).to.equal(401);
  });

  it('refuses a response of another browser, with another state, or sent again', async () => {
    const browser = createBrowser();
    const callback = await signInAtProvider(browser, 'jane');
    const pending = new Map(browser.cookies.get(system.baseUrl));
    const foreign = await createBrowser().open(callback);
    expect(foreign.location).to.equal(`${system.baseUrl}/#/?sign-in=expired`);
    const forged = new URL(callback);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect((await browser.open(forged.href)).location).to.equal(`${system.baseUrl}/#/?sign-in=failed`);
    browser.cookies.set(system.baseUrl, new Map(pending));
    expect((await browser.open(callback)).location, 'the first time').to.equal(`${system.baseUrl}/`);
    browser.cookies.set(system.baseUrl, new Map(pending));
    expect((await browser.open(callback)).location, 'again').to.equal(`${system.baseUrl}/#/?sign-in=failed`);
  });

  it('sends the browser back only to this server', async () => {
    for (const uri of [
      redirectUri.replace('127.0.0.1', 'elsewhere.example'),
      `${system.baseUrl}/elsewhere`,
      `${redirectUri}?next=x`,
      'javascript:alert(1)',
      'no address',
    ])
      expect((await createBrowser().open(beginUrl(uri))).status, uri).to.equal(400);
    const pending = {
      state: 's',
      nonce: 'n',
      codeVerifier: 'c',
      redirectUri: 'https://elsewhere.example/ops/v1/session/oidc/callback',
    };
    const browser = createBrowser();
    const value = Buffer.from(JSON.stringify(pending)).toString('base64url');
    browser.cookies.set(system.baseUrl, new Map([['popsvc_sign_in', value]]));
    expect((await browser.open(`${redirectUri}?code=x&state=s`)).location).to.equal(
      `${system.baseUrl}/#/?sign-in=expired`,
    );
  });
});
