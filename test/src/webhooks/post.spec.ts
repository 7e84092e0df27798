import { createHmac } from 'node:crypto';
import {
  classifyAddress,
  createWebhookPost,
  findUrlProblem,
  parseAddressRanges,
  type ResolveHost,
  signWebhook,
} from '@popsvc/platform/webhook-requests';
import { expect } from 'chai';
import { type Receiver, startReceiver, verifyRequest } from './receiver.fixture.ts';

const loopback = parseAddressRanges('127.0.0.0/8')!;
const { signal } = new AbortController();

describe('addresses of subscribers', () => {
  const internal = [
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    'not an address',
  ];
  for (const address of internal)
    it(`${address} is internal`, () => expect(classifyAddress(address, [])).to.equal('internal'));
  for (const address of ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:93.184.215.14'])
    it(`${address} is public`, () => expect(classifyAddress(address, [])).to.equal('public'));

  it('opens the ranges that the operator names, also for IPv4 addresses in IPv6 ones', () => {
    const opened = parseAddressRanges('10.1.0.0/16, fd00::/8')!;
    const classes = ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '10.2.0.1'].map((each) => classifyAddress(each, opened));
    expect(classes).to.deep.equal(['opened', 'opened', 'opened', 'internal']);
  });

  it('refuses ranges that are not valid', () => {
    expect(['10.0.0.0/33', '10.0.0.0', 'x'].map(parseAddressRanges)).to.deep.equal([undefined, undefined, undefined]);
    expect(parseAddressRanges('')).to.deep.equal([]);
  });

  it('says what is wrong with a URL', () => {
    const problems = (...urls: string[]) => urls.map((url) => findUrlProblem(url, []));
    expect(problems('https://example.com/hook', 'https://[2606:2800:21f::1]:8443/')).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect(problems('example.com', 'http://example.com', 'ftp://example.com')).to.deep.equal([
      'must be a URL',
      'must begin with https://',
      'must begin with https://',
    ]);
    expect(problems('https://u:p@example.com', 'https://example.com/#a')).to.deep.equal([
      'must not contain a user or a password',
      'must not have a fragment',
    ]);
    const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:10.0.0.1]', 'localhost', 'a.localhost.'];
    expect(problems(...hosts.map((host) => `https://${host}/`))).to.deep.equal(
      hosts.map(() => 'must not be an internal address'),
    );
    expect(findUrlProblem('http://127.0.0.1:1/', loopback)).to.equal(undefined);
    expect(findUrlProblem('http://subscriber.example/', loopback)).to.equal(undefined);
    expect(findUrlProblem('http://93.184.215.14/', loopback)).to.equal('must begin with https://');
  });
});

describe('the signature of a request', () => {
  it('is the HMAC of id, timestamp and body, once for each secret', () => {
    const [first, second] = [
      `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      `whsec_${Buffer.alloc(32, 2).toString('base64')}`,
    ];
    const headers = signWebhook({ id: 'notice-1', body: '{"a":"ä"}', sentAtMs: 1_755_698_587_999 }, [first, second]);
    const hmac = (fill: number) =>
      createHmac('sha256', Buffer.alloc(32, fill)).update('notice-1.1755698587.{"a":"ä"}').digest('base64');
    expect(headers).to.deep.equal({
      'webhook-id': 'notice-1',
      'webhook-timestamp': '1755698587',
      'webhook-signature': `v1,${hmac(1)} v1,${hmac(2)}`,
    });
  });
});

describe('a request to a subscriber', () => {
  let receiver: Receiver;
  before(async () => (receiver = await startReceiver()));
  after(() => receiver.close());
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.respond(204);
  });
  const send = (
    url: string,
    {
      opened = loopback,
      resolve,
      timeoutMs,
    }: { opened?: typeof loopback; resolve?: ResolveHost; timeoutMs?: number } = {},
  ) =>
    createWebhookPost({ opened, ...(resolve && { resolve }), ...(timeoutMs !== undefined && { timeoutMs }) })({
      url,
      headers: { 'webhook-id': 'notice-1' },
      body: '{"type":"x"}',
      signal,
    });
  const named = (host: string) => `http://${host}:${receiver.port}/hook`;
  /** Resolves every name to these addresses, one list for each look-up; the last one is repeated. */
  const resolver = (...answers: readonly (readonly string[])[]) => {
    const hosts: string[] = [];
    const resolve: ResolveHost = (host) => {
      const addresses = answers[Math.min(hosts.length, answers.length - 1)]!;
      hosts.push(host);
      return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    };
    return { hosts, resolve };
  };

  it('has the headers and the body, and resolves with the status of the response', async () => {
    receiver.respond(202);
    expect(await send(receiver.url)).to.deep.equal({ status: 202 });
    const [request] = receiver.received;
    expect(request!.body).to.equal('{"type":"x"}');
    expect(request!.headers).to.include({ 'webhook-id': 'notice-1', 'content-type': 'application/json' });
  });

  it('follows no redirect', async () => {
    receiver.respond((_, response) => response.writeHead(307, { location: '/other' }).end());
    expect(await send(receiver.url)).to.deep.equal({ status: 307 });
    expect(receiver.received.map(({ path }) => path)).to.deep.equal(['/hook']);
  });

  it('opens no connection to an internal address', async () => {
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[::1]']) {
      const result = await send(named(host), { opened: [] });
      expect(result, host)
        .to.have.property('error')
        .that.matches(/ is at an internal address$/);
    }
    expect(receiver.received).to.deep.equal([]);
  });

  it('opens no connection if a name resolves to an internal address, even among public ones', async () => {
    for (const addresses of [['127.0.0.1'], ['::ffff:127.0.0.1'], ['169.254.169.254'], ['93.184.215.14', '10.0.0.1']]) {
      const { resolve } = resolver(addresses);
      const result = await send(named('subscriber.example'), { opened: [], resolve });
      expect(result, addresses.join()).to.deep.equal({ error: 'subscriber.example is at an internal address' });
    }
    expect(receiver.received).to.deep.equal([]);
  });

  it('resolves a name once: the checked address is the one that the connection is opened to', async () => {
    const { hosts, resolve } = resolver(['127.0.0.1'], ['127.0.0.2']);
    expect(await send(named('subscriber.example'), { resolve })).to.deep.equal({ status: 204 });
    expect(hosts).to.deep.equal(['subscriber.example']);
    expect(receiver.received[0]!.headers.host).to.equal(`subscriber.example:${receiver.port}`);
  });

  it('resolves the name again for each request, so that a change of address is checked', async () => {
    const { resolve } = resolver(['127.0.0.1'], ['10.0.0.1']);
    const post = createWebhookPost({ opened: loopback, resolve });
    const request = { url: named('subscriber.example'), headers: {}, body: '{}', signal };
    expect([await post(request), await post(request)]).to.deep.equal([
      { status: 204 },
      { error: 'subscriber.example is at an internal address' },
    ]);
  });

  it('uses plain HTTP for opened addresses only', async () => {
    const { resolve } = resolver(['93.184.215.14']);
    expect(await send(named('subscriber.example'), { resolve })).to.deep.equal({
      error: 'the URL must begin with https://',
    });
  });

  it('ends without a response in time, and its error names no address', async () => {
    receiver.respond(() => undefined);
    expect(await send(receiver.url, { timeoutMs: 100 })).to.deep.equal({ error: 'no response within 0.1 s' });
    expect(await send('http://127.0.0.1:1/')).to.deep.equal({ error: 'the connection failed: ECONNREFUSED' });
  });

  it('reads no response that takes too long, however often it sends', async () => {
    const closed = new Promise<void>((resolve) =>
      receiver.respond((_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('.'), 20);
        response.once('close', () => {
          clearInterval(timer);
          resolve();
        });
      }),
    );
    expect(await send(receiver.url, { timeoutMs: 500 })).to.deep.equal({ status: 200 });
    await closed;
  });

  it('reads no endless response', async () => {
    const closed = new Promise<void>((resolve) =>
      receiver.respond((_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(Buffer.alloc(65_536)), 1);
        response.on('close', () => {
          clearInterval(timer);
          resolve();
        });
      }),
    );
    expect(await send(receiver.url)).to.deep.equal({ status: 200 });
    await closed;
  });

  it('is verified by the library of subscribers', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const body = '{"type":"job.finished"}';
    const post = createWebhookPost({ opened: loopback });
    const headers = signWebhook({ id: 'notice-2', body, sentAtMs: Date.now() }, [secret]);
    await post({ url: receiver.url, headers, body, signal });
    const [request] = receiver.received;
    expect(verifyRequest(request!, secret)).to.deep.equal({ type: 'job.finished' });
    expect(() => verifyRequest({ ...request!, body: '{"type":"job.finishes"}' }, secret)).to.throw();
    expect(() => verifyRequest(request!, `whsec_${Buffer.alloc(32, 8).toString('base64')}`)).to.throw();
  });
});
