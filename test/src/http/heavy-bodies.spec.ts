import { setMaxListeners } from 'node:events';
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { HeavyBodies } from '@popsvc/platform/http';
import { expect } from 'chai';

describe('http: callers whose large bodies were refused', () => {
  it('wait for further refusals, but only 64 requests of all callers together', async () => {
    const heavyBodies = new HeavyBodies(() => 0);
    const callers = ['key 1', 'key 2', 'key 3', 'key 4'];
    for (const caller of callers) heavyBodies.countRefused(caller, 10_000);
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    const refusals: unknown[] = [];
    const requests = callers.flatMap((caller) =>
      Array.from({ length: 50 }, () =>
        heavyBodies.requireAllowance(caller, leaving.signal).catch((refusal: unknown) => refusals.push(refusal)),
      ),
    );
    await nextEventLoopTurn();
    expect(refusals).to.have.length(200 - 64);
    leaving.abort();
    await Promise.all(requests);
    expect(refusals).to.have.length(200);
    for (const refusal of refusals) expect(refusal).to.be.instanceOf(ApiError).that.includes({ code: 'RATE_LIMITED' });
    await heavyBodies.requireAllowance('key 5', new AbortController().signal);
  });
});
