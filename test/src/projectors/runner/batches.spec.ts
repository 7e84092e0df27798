import { wholeProjection } from '@popsvc/domain/partitioning';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubscriptionItem, LogEvent } from '@popsvc/platform/event-store';
import { readBatches, type Fold, type EventApplier } from '@popsvc/projectors/engine';
import { expect } from 'chai';

const event = (position: bigint, stream = 'pop-1'): SubscriptionItem => ({
  kind: 'event',
  event: { position, recordedAtMs: 1, stream, type: 'T' } as LogEvent,
});
const caughtUp: SubscriptionItem = { kind: 'caught-up' };

/** `pause`: a pause in which no batch is due. `batch`: a pause until the batch of the events before it has been made. */
type Step = SubscriptionItem | 'pause' | 'batch';

/** Yields the items one after the other, with pauses, then nothing until the end. */
async function* yieldItems(
  steps: readonly Step[],
  made: readonly unknown[],
  end: AbortSignal,
): AsyncGenerator<SubscriptionItem> {
  let awaited = 0;
  for (const step of steps)
    if (step === 'pause') await sleep(40);
    else if (step === 'batch') {
      awaited += 1;
      while (made.length < awaited && !end.aborted) await sleep(1);
    } else yield step;
  await sleep(300_000, undefined, { signal: end }).catch(() => undefined);
}

const fold = { pending: { rows: 0, bytes: 0 }, seal: () => ({ inserts: [] }) } as unknown as Fold;
const applier: EventApplier = {
  apply: () => [],
  isDecision: () => false,
  applyDecision: () => Promise.reject(new Error('there are no decisions')),
};

/** Number of events of each of the first batches. */
const sizes = async (steps: readonly Step[], wanted: number, catchUpAgeMs?: number) => {
  const end = new AbortController();
  const limits = { rows: 100, bytes: 1_000, ageMs: 10, ...(catchUpAgeMs !== undefined && { catchUpAgeMs }) };
  const made: number[] = [];
  for await (const batch of readBatches(yieldItems(steps, made, end.signal), fold, applier, {
    start: 0n,
    cuts: [],
    limits,
    partition: wholeProjection,
  })) {
    made.push(batch.events);
    if (made.length === wanted) break;
  }
  end.abort();
  return made;
};

describe('batches', () => {
  it('wait longer for events until the log is caught up with', async () => {
    const slow = [event(1n), 'pause', event(2n), caughtUp, 'batch', event(3n), 'batch', event(4n)] as const;
    expect(await sizes(slow, 3, 300_000)).to.deep.equal([2, 1, 1]);
  });

  it('wait equally long before and after by default', async () => {
    const slow = [event(1n), 'batch', event(2n), caughtUp, 'batch', event(3n), 'batch', event(4n)] as const;
    expect(await sizes(slow, 4)).to.deep.equal([1, 1, 1, 1]);
  });

  it('end at a cut whose event is missing, before the first event after it', async () => {
    const end = new AbortController();
    const ends: (readonly [upTo: bigint, events: number])[] = [];
    const items = [event(10n), event(20n), event(40n), event(50n), caughtUp];
    const plan = {
      start: 0n,
      cuts: [5n, 30n],
      limits: { rows: 100, bytes: 1_000, ageMs: 10, catchUpAgeMs: 300_000 },
      partition: wholeProjection,
    };
    for await (const { upTo, events } of readBatches(yieldItems(items, ends, end.signal), fold, applier, plan)) {
      ends.push([upTo, events]);
      if (ends.length === 2) break;
    }
    end.abort();
    expect(ends).to.deep.equal([
      [30n, 2],
      [50n, 2],
    ]);
  });

  it('end where they are full before a cut', async () => {
    const end = new AbortController();
    const ends: bigint[] = [];
    const items = [event(1n), event(2n), event(3n), event(4n), event(5n), caughtUp];
    const plan = {
      start: 0n,
      cuts: [3n],
      limits: { rows: 2, bytes: 1_000, ageMs: 10, catchUpAgeMs: 300_000 },
      partition: wholeProjection,
    };
    for await (const { upTo } of readBatches(yieldItems(items, ends, end.signal), fold, applier, plan)) {
      ends.push(upTo);
      if (ends.length === 3) break;
    }
    end.abort();
    expect(ends).to.deep.equal([2n, 3n, 5n]);
  });

  it('contain a decision about parked events alone', async () => {
    const end = new AbortController();
    const settled = { released: [], failed: [], discarded: [] };
    const decides: EventApplier = {
      ...applier,
      isDecision: ({ stream }) => stream.startsWith('parking-'),
      applyDecision: () => Promise.resolve(settled),
    };
    const items = [event(1n), event(2n, 'parking-coffee'), event(3n), caughtUp];
    const plan = {
      start: 0n,
      cuts: [],
      limits: { rows: 100, bytes: 1_000, ageMs: 10, catchUpAgeMs: 300_000 },
      partition: wholeProjection,
    };
    const batches: unknown[] = [];
    for await (const batch of readBatches(yieldItems(items, [], end.signal), fold, decides, plan)) {
      batches.push([batch.upTo, batch.settled]);
      if (batch.upTo === 3n) break;
    }
    end.abort();
    expect(batches).to.deep.equal([
      [1n, undefined],
      [2n, settled],
      [3n, undefined],
    ]);
  });

  it('are written at their maximum age before the log is caught up with', async () => {
    expect(await sizes([event(1n), 'batch', event(2n)], 2, 10)).to.deep.equal([1, 1]);
  });
});
