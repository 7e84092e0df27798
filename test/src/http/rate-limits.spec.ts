import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import type { ApiError } from '@popsvc/contracts/errors';
import { createRateLimits } from '@popsvc/http-kit/server';
import { createMetrics } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import fc from 'fast-check';

const key = (keyId: string, requestsPerSecond = 10, eventsPerSecond = 100): ApiKeyPrincipal => ({
  kind: 'api-key',
  keyId,
  network: 1,
  vendor: 'acme',
  rates: { requestsPerSecond, eventsPerSecond },
});

const counting = () => {
  let nowMs = 1_000_000;
  const metrics = createMetrics('test');
  const limits = createRateLimits(metrics, { units: ['requests', 'events'], now: () => nowMs });
  /** Seconds to wait; 0 when admitted. */
  const spend = (who: ApiKeyPrincipal, unit: 'requests' | 'events', count: number): number => {
    try {
      limits.allowanceOf(who)!.spend(unit, count);
      return 0;
    } catch (error) {
      expect((error as ApiError).code).to.equal('RATE_LIMITED');
      return (error as ApiError).retryAfterSeconds!;
    }
  };
  return { limits, metrics, spend, wait: (ms: number) => (nowMs += ms) };
};

describe('http: the rate of a key', () => {
  it('admits twice the rate at once, then the rate', () => {
    const { spend, wait } = counting();
    for (let count = 0; count < 20; count++) expect(spend(key('a'), 'requests', 1)).to.equal(0);
    expect(spend(key('a'), 'requests', 1)).to.equal(1);
    wait(99);
    expect(spend(key('a'), 'requests', 1)).to.equal(1);
    wait(1);
    expect([spend(key('a'), 'requests', 1), spend(key('a'), 'requests', 1)]).to.deep.equal([0, 1]);
    wait(3_600_000);
    for (let count = 0; count < 20; count++) expect(spend(key('a'), 'requests', 1)).to.equal(0);
    expect(spend(key('a'), 'requests', 1)).to.equal(1);
  });

  it('is separate for each key and unit', () => {
    const { spend } = counting();
    expect(spend(key('a'), 'events', 200)).to.equal(0);
    expect(spend(key('a'), 'events', 1)).to.equal(1);
    expect(spend(key('a'), 'requests', 1)).to.equal(0);
    expect(spend(key('b'), 'events', 200)).to.equal(0);
  });

  it('admits a cost above the capacity when the bucket is full, and then waits until the debt is repaid', () => {
    const { spend, wait } = counting();
    expect(spend(key('a'), 'events', 1)).to.equal(0);
    expect(spend(key('a'), 'events', 1_000)).to.equal(1);
    wait(10);
    expect(spend(key('a'), 'events', 1_000)).to.equal(0);
    expect(spend(key('a'), 'events', 1)).to.equal(9);
    wait(8_000);
    expect(spend(key('a'), 'events', 1)).to.equal(1);
    wait(10);
    expect(spend(key('a'), 'events', 1)).to.equal(0);
  });

  it('changes with the key, and limits a full bucket to the new capacity', () => {
    const { spend } = counting();
    expect(spend(key('a', 10), 'requests', 1)).to.equal(0);
    expect(spend(key('a', 1), 'requests', 2)).to.equal(0);
    expect(spend(key('a', 1), 'requests', 1)).to.equal(1);
  });

  it('reports the remaining quota and when it is full again', () => {
    const { limits, spend, wait } = counting();
    const headers = () => limits.allowanceOf(key('a'))!.headers();
    expect(headers()).to.deep.equal({
      'RateLimit-Policy': '"requests";q=20;qu="requests";w=2, "events";q=200;qu="events";w=2',
      RateLimit: '"requests";r=20;t=0, "events";r=200;t=0',
    });
    spend(key('a'), 'requests', 1);
    spend(key('a'), 'events', 1_000);
    wait(50);
    expect(headers()['RateLimit']).to.equal('"requests";r=19;t=1, "events";r=0;t=10');
  });

  it('applies to API keys only', () => {
    const { limits } = counting();
    expect(limits.allowanceOf(undefined)).to.equal(undefined);
    expect(limits.allowanceOf({ kind: 'operator', role: 'admin' })).to.equal(undefined);
    expect(limits.allowanceOf({ kind: 'client', clientId: 'c', networkIds: [1] })).to.equal(undefined);
  });

  it('counts rejections by unit', async () => {
    const { metrics, spend } = counting();
    for (let count = 0; count < 23; count++) spend(key('a'), 'requests', 1);
    expect(await metrics.metrics()).to.match(/rate_limited_total\{.*unit="requests".*\} 3\n/);
  });

  it('never admits more than the burst and the refill, and always admits a sender that keeps to them', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.tuple(fc.nat(3_000), fc.integer({ min: 1, max: 1_500 })), { minLength: 1, maxLength: 60 }),
        (rate, requests) => {
          const { spend, wait } = counting();
          const who = key('a', 1, rate);
          let [passed, elapsedMs] = [0, 0];
          for (const [pauseMs, count] of requests) {
            elapsedMs += pauseMs;
            wait(pauseMs);
            const before = passed;
            const seconds = spend(who, 'events', count);
            if (seconds === 0) {
              passed += count;
              const debt = Math.max(0, count - 2 * rate);
              expect(before + Math.min(count, 2 * rate)).to.be.at.most(2 * rate + (elapsedMs / 1_000) * rate + 1e-6);
              expect(passed - debt).to.be.at.most(2 * rate + (elapsedMs / 1_000) * rate + 1e-6);
            } else {
              elapsedMs += seconds * 1_000;
              wait(seconds * 1_000);
              expect(spend(who, 'events', count)).to.equal(0);
              passed += count;
            }
          }
        },
      ),
    ));
});
