import { CredentialCache, type CredentialLookup, ExpiredCredential, type RevocationWatch } from '@popsvc/http-kit/auth';
import { expect } from 'chai';
import sinon from 'sinon';

interface TestPrincipal {
  readonly name: string;
}

/** The error of the PostgreSQL driver when the server is down. */
const unavailable = () =>
  Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }));

describe('the cache of verified credentials', () => {
  let clock: sinon.SinonFakeTimers;
  let cache: CredentialCache<TestPrincipal>;
  let lookups = 0;
  let revoke: () => void;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 7, 20) });
    lookups = 0;
    let epoch = 0;
    const listeners: (() => void)[] = [];
    const watch: RevocationWatch = {
      epoch: () => epoch,
      onChange: (forget) => {
        listeners.push(forget);
        return () => undefined;
      },
      stop: () => undefined,
    };
    revoke = () => {
      epoch++;
      for (const forget of listeners) forget();
    };
    cache = new CredentialCache(watch);
  });
  afterEach(() => clock.restore());

  const lookUp = (found: CredentialLookup<TestPrincipal>) => () => {
    lookups++;
    return Promise.resolve(found);
  };
  const valid = lookUp({ principal: { name: 'a' } });
  const outcome = (lookUpCredential: () => Promise<CredentialLookup<TestPrincipal>>) =>
    cache.principal('hash', lookUpCredential).then(
      (principal) => principal?.name ?? 'none',
      (error: unknown) => (error as { code?: string }).code,
    );
  const expectExpired = async (lookUpCredential: () => Promise<CredentialLookup<TestPrincipal>>) =>
    expect(await cache.principal('hash', lookUpCredential).catch((thrown: unknown) => thrown)).instanceOf(
      ExpiredCredential,
    );

  it('accepts a credential for 60 s while PostgreSQL is unavailable', async () => {
    expect(await outcome(valid)).equal('a');
    for (const ms of [29_000, 29_000, 1_999]) {
      clock.tick(ms);
      expect(await outcome(unavailable)).equal('a');
    }
    clock.tick(1);
    expect(await outcome(unavailable)).equal('UNAVAILABLE');
    expect(await outcome(valid)).equal('a');
  });

  it('looks a credential up again after 30 s in the background', async () => {
    expect(await outcome(valid)).equal('a');
    clock.tick(30_000);
    expect([await outcome(valid), lookups]).deep.equal(['a', 1]);
    clock.tick(1);
    expect(await outcome(lookUp(undefined))).equal('a');
    await new Promise((resolve) => setImmediate(resolve));
    expect([await outcome(valid), lookups]).deep.equal(['none', 2]);
  });

  it('ends a credential when it expires, cached or not', async () => {
    expect(await outcome(lookUp({ principal: { name: 'a' }, expiresAtMs: Date.now() + 5_000 }))).equal('a');
    clock.tick(4_999);
    expect(await outcome(unavailable)).equal('a');
    clock.tick(1);
    await expectExpired(unavailable);
    revoke();
    await expectExpired(lookUp({ principal: { name: 'a' }, expiresAtMs: Date.now() }));
  });

  it('drops all entries at any revocation', async () => {
    expect(await outcome(valid)).equal('a');
    revoke();
    expect(await outcome(lookUp(undefined))).equal('none');
  });

  it('does not keep the result of a look-up that began before a revocation', async () => {
    let answer: (found: CredentialLookup<TestPrincipal>) => void = () => undefined;
    const slow = outcome(() => new Promise((resolve) => (answer = resolve)));
    revoke();
    answer({ principal: { name: 'a' } });
    await slow;
    expect(await outcome(lookUp(undefined))).equal('none');
  });

  it('keeps a refused credential, but not one with an unknown key', async () => {
    expect(await outcome(lookUp(undefined))).equal('none');
    expect([await outcome(valid), lookups]).deep.equal(['none', 1]);
    revoke();
    expect(await outcome(lookUp('unknown'))).equal('none');
    expect(await outcome(valid)).equal('a');
  });

  it('ends a credential whose key is no longer found', async () => {
    expect(await outcome(valid)).equal('a');
    clock.tick(59_000);
    await outcome(lookUp('unknown'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await outcome(lookUp(undefined))).equal('none');
  });

  it('looks up concurrent requests once', async () => {
    await Promise.all(Array.from({ length: 50 }, () => outcome(valid)));
    expect(lookups).equal(1);
  });
});
