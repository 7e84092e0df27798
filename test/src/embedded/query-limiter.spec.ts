import { setTimeout as sleep } from 'node:timers/promises';
import { createQueryLimiter, type ReleasePermit } from '@popsvc/embedded/clickhouse';
import { expect } from 'chai';

describe('the query limiter', () => {
  const connected = new AbortController().signal;

  /** Acquires permits and records the users in the order of their permits. */
  const limiterWith = (maxRunning: number, queueTimeoutMs = 60_000) => {
    const limiter = createQueryLimiter({ maxRunning, queueTimeoutMs });
    const [started, permits]: [string[], ReleasePermit[]] = [[], []];
    const acquire = async (user: string, signal = connected) => {
      const release = await limiter.acquire(user, signal);
      if (!release) return false;
      started.push(user);
      permits.push(release);
      return true;
    };
    return { acquire, started, permits };
  };

  it('limits the running queries and prefers users with the fewest of them', async () => {
    const { acquire, started, permits } = limiterWith(2);
    const all = [...['anna', 'anna', 'anna', 'anna', 'bert', 'carl'].map((user) => acquire(user))];
    await sleep(1);
    expect(started).to.deep.equal(['anna', 'anna']);
    for (let count = 3; count <= 6; count += 1) {
      permits.shift()!();
      await sleep(1);
      expect(started).to.have.length(count);
    }
    expect(started.slice(2)).to.deep.equal(['bert', 'anna', 'carl', 'anna']);
    expect(await Promise.all(all)).to.not.include(false);
  });

  it('counts a permit as released once, even if it is released twice', async () => {
    const { acquire, started, permits } = limiterWith(1);
    const all = ['anna', 'bert', 'carl'].map((user) => acquire(user));
    await sleep(1);
    const [first] = permits;
    first!();
    first!();
    await sleep(1);
    expect(started).to.deep.equal(['anna', 'bert']);
    permits[1]!();
    expect(await Promise.all(all)).to.deep.equal([true, true, true]);
  });

  it('skips users who disconnected or waited too long', async () => {
    const { acquire, started, permits } = limiterWith(1, 40);
    await acquire('anna');
    const disconnecting = new AbortController();
    const disconnected = acquire('bert', disconnecting.signal);
    const late = acquire('carl');
    disconnecting.abort();
    expect(await disconnected).to.equal(false);
    expect(await late).to.equal(false);
    permits[0]!();
    expect(await acquire('dora')).to.equal(true);
    expect(started).to.deep.equal(['anna', 'dora']);
    expect(await acquire('eve', AbortSignal.abort())).to.equal(false);
  });
});
