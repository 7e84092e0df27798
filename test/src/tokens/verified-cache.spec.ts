import { CredentialCache, type CredentialLookup, type RevocationWatch } from '@popsvc/platform/auth';
import { expect } from 'chai';
import sinon from 'sinon';

interface Somebody {
  readonly name: string;
}

/** What PostgreSQL's driver throws when nobody listens. */
const away = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }));

describe('verified credentials', () => {
  let clock: sinon.SinonFakeTimers;
  let cache: CredentialCache<Somebody>;
  let asked = 0;
  let revoke: () => void;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 7, 20) });
    asked = 0;
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

  const finds = (looked: CredentialLookup<Somebody>) => () => {
    asked++;
    return Promise.resolve(looked);
  };
  const good = finds({ principal: { name: 'a' } });
  const outcome = (look: () => Promise<CredentialLookup<Somebody>>) =>
    cache.principal('hash', look).then(
      (who) => who?.name ?? 'nobody',
      (error: unknown) => (error as { code?: string }).code,
    );

  it('go on for 60 s while the records are away, and then not', async () => {
    expect(await outcome(good)).equal('a');
    for (const ms of [29_000, 29_000, 1_999]) {
      clock.tick(ms);
      expect(await outcome(away)).equal('a');
    }
    clock.tick(1);
    expect(await outcome(away)).equal('UNAVAILABLE');
    expect(await outcome(good)).equal('a');
  });

  it('are looked up again after 30 s, in the background, and found to be ended', async () => {
    expect(await outcome(good)).equal('a');
    clock.tick(30_000);
    expect([await outcome(good), asked]).deep.equal(['a', 1]);
    clock.tick(1);
    expect(await outcome(finds(undefined))).equal('a');
    await new Promise((resolve) => setImmediate(resolve));
    expect([await outcome(good), asked]).deep.equal(['nobody', 2]);
  });

  it('end when they expire, remembered or not', async () => {
    expect(await outcome(finds({ principal: { name: 'a' }, expiresAtMs: Date.now() + 5_000 }))).equal('a');
    clock.tick(4_999);
    expect(await outcome(away)).equal('a');
    clock.tick(1);
    expect(await outcome(away)).equal('nobody');
  });

  it('are forgotten with any revocation', async () => {
    expect(await outcome(good)).equal('a');
    revoke();
    expect(await outcome(finds(undefined))).equal('nobody');
  });

  it('are not remembered from before a revocation that came while they were looked up', async () => {
    let answer: (looked: CredentialLookup<Somebody>) => void = () => undefined;
    const slow = outcome(() => new Promise((resolve) => (answer = resolve)));
    revoke();
    answer({ principal: { name: 'a' } });
    await slow;
    expect(await outcome(finds(undefined))).equal('nobody');
  });

  it('that are wrong are remembered, those of an unknown key are not', async () => {
    expect(await outcome(finds(undefined))).equal('nobody');
    expect([await outcome(good), asked]).deep.equal(['nobody', 1]);
    revoke();
    expect(await outcome(finds('unknown'))).equal('nobody');
    expect(await outcome(good)).equal('a');
  });

  it('whose key is found to be gone end with it', async () => {
    expect(await outcome(good)).equal('a');
    clock.tick(59_000);
    await outcome(finds('unknown'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await outcome(finds(undefined))).equal('nobody');
  });

  it('asked for by many at once are looked up once', async () => {
    await Promise.all(Array.from({ length: 50 }, () => outcome(good)));
    expect(asked).equal(1);
  });
});
