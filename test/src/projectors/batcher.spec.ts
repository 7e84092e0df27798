import { setTimeout as sleep } from 'node:timers/promises';
import type { SubscriptionItem, LogEvent } from '@popsvc/platform/event-store';
import { readBatches, type Fold, type EventApplier } from '@popsvc/projectors/engine';
import { expect } from 'chai';

const event = (position: bigint): SubscriptionItem => ({
  kind: 'event',
  event: { position, recordedAtMs: 1, stream: 'pop-1', type: 'T' } as LogEvent,
});
const caughtUp: SubscriptionItem = { kind: 'caught-up' };
const pauseMs = 40;

/** What it tells comes one after the other, with a pause where there is a number; then nothing, until the end. */
async function* telling(
  told: readonly (SubscriptionItem | 'pause')[],
  end: AbortSignal,
): AsyncGenerator<SubscriptionItem> {
  for (const each of told)
    if (each === 'pause') await sleep(pauseMs);
    else yield each;
  await sleep(60_000, undefined, { signal: end }).catch(() => undefined);
}

const fold = { pending: { rows: 0, bytes: 0 }, seal: () => ({ inserts: [] }) } as unknown as Fold;
const intake: EventApplier = {
  apply: () => undefined,
  isDecision: () => false,
  applyDecision: () => Promise.reject(new Error('nobody decides')),
  takeTally: () => ({}),
};

/** How many events each of the first batches has. */
const sizes = async (told: readonly (SubscriptionItem | 'pause')[], wanted: number, catchUpAgeMs?: number) => {
  const end = new AbortController();
  const limits = { rows: 100, bytes: 1_000, ageMs: 10, ...(catchUpAgeMs !== undefined && { catchUpAgeMs }) };
  const made: number[] = [];
  for await (const batch of readBatches(telling(told, end.signal), fold, intake, { start: 0n, cuts: [], limits })) {
    made.push(batch.events);
    if (made.length === wanted) break;
  }
  end.abort();
  return made;
};

describe('batches', () => {
  const slow = [event(1n), 'pause', event(2n), caughtUp, 'pause', event(3n), 'pause', event(4n)] as const;

  it('wait for more while the past is read, and no more once the log was caught up with', async () => {
    expect(await sizes(slow, 3, 60_000)).to.deep.equal([2, 1, 1]);
  });

  it('wait as long before as after where nothing else is said', async () => {
    expect(await sizes(slow, 4)).to.deep.equal([1, 1, 1, 1]);
  });

  it('are written as old as they may be where the past is long', async () => {
    expect(await sizes([event(1n), 'pause', event(2n)], 2, 10)).to.deep.equal([1, 1]);
  });
});
