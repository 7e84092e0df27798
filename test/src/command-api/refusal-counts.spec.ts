import { createRefusalCounts } from '@popsvc/command-api/intake';
import { ApiError, type ErrorCode } from '@popsvc/contracts/errors';
import type { RefusedHour } from '@popsvc/platform/postgres';
import { expect } from 'chai';

const hourMs = 3_600_000;

describe('counts of refused requests', () => {
  let now: number;
  let counts: ReturnType<typeof createRefusalCounts>;
  beforeEach(() => {
    now = 5 * hourMs + 1;
    counts = createRefusalCounts({ now: () => now });
  });

  const refuse = (vendor: string, code: ErrorCode, events: number, error: unknown = new ApiError(code)) =>
    counts.countRefusal({ sender: { network: 1, vendor }, code, events, error });
  const write = async () => {
    let written: readonly RefusedHour[] = [];
    await counts.write((hours) => Promise.resolve(void (written = hours)));
    return written;
  };

  it('are of an hour, a vendor and an error code, and have the newest reason', async () => {
    const details = [{ path: 'events[2].duration', message: 'must be positive' }];
    refuse('acme', 'INVALID_EVENT', 3, new ApiError('INVALID_EVENT', 'two problems', { details }));
    refuse('acme', 'RATE_LIMITED', 1);
    refuse('beta', 'INVALID_EVENT', 2, new Error('without a code'));
    now += 5;
    refuse('acme', 'RATE_LIMITED', 4, new ApiError('RATE_LIMITED', 'at most 5 requests a second'));
    const hour = { hourMs: 5 * hourMs, network: 1 };
    expect(await write()).to.deep.equal([
      {
        ...{ ...hour, vendor: 'acme', code: 'INVALID_EVENT', requests: 1, events: 3 },
        latestReason: 'events[2].duration: must be positive',
        latestMs: now - 5,
      },
      {
        ...{ ...hour, vendor: 'acme', code: 'RATE_LIMITED', requests: 2, events: 5 },
        latestReason: 'at most 5 requests a second',
        latestMs: now,
      },
      { ...hour, vendor: 'beta', code: 'INVALID_EVENT', requests: 1, events: 2, latestReason: '', latestMs: now - 5 },
    ]);
  });

  it('are written until their hour is over, and again after a failed write', async () => {
    refuse('acme', 'INVALID_EVENT', 1);
    expect((await write()).map(({ events }) => events)).to.deep.equal([1]);
    refuse('acme', 'INVALID_EVENT', 2);
    now += hourMs;
    refuse('acme', 'INVALID_EVENT', 5);
    await counts.write(() => Promise.reject(new Error('away'))).catch(() => undefined);
    expect((await write()).map(({ events }) => events)).to.deep.equal([3, 5]);
    expect((await write()).map(({ events }) => events)).to.deep.equal([5]);
  });

  it('have reasons of at most 300 characters that PostgreSQL can store', async () => {
    refuse('acme', 'INVALID_REQUEST', 1, new ApiError('INVALID_REQUEST', `a\0b${'x'.repeat(296)}🙂`));
    expect((await write())[0]?.latestReason).to.equal(`a b${'x'.repeat(296)}\uFFFD`);
  });
});
