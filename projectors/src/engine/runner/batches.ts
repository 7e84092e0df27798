import type { LogEvent, SubscriptionItem } from '@popsvc/platform/event-store';
import type { ParkedEvent } from '@popsvc/platform/postgres';
import { type Batch, type BatchLimits, isLarge } from '../batch.ts';
import type { EventApplier } from '../parking/event-applier.ts';
import { ParkingLimitReached, UnknownDecision } from '../parking/poison.ts';
import type { Fold } from '../projection.ts';

/** Tracks how long the open batch may still wait for more events; longer while catching up. */
const batchAge = ({ ageMs, catchUpAgeMs = ageMs }: Pick<BatchLimits, 'ageMs' | 'catchUpAgeMs'>) => {
  let [openedAt, allowedMs] = [Infinity, catchUpAgeMs];
  return {
    opened(): void {
      openedAt = Date.now();
    },
    closed(): void {
      openedAt = Infinity;
    },
    caughtUp(): void {
      allowedMs = ageMs;
    },
    /** Infinite while no batch is open. */
    get leftMs(): number {
      return openedAt + allowedMs - Date.now();
    },
  };
};

/** Where to continue and how large batches are. Batches must end at the positions in `cuts`, whatever their size. */
interface ResumePlan {
  readonly start: bigint;
  readonly cuts: readonly bigint[];
  readonly limits: BatchLimits;
}

/** State of the loop that reads and folds the events. */
type ReaderState = { readonly kind: 'reading' | 'ended' } | { readonly kind: 'failed'; readonly error: unknown };

/** The events before such a failure are written first, so that each run gets further. */
const endsAfterBatch = (error: unknown) => error instanceof ParkingLimitReached || error instanceof UnknownDecision;

/**
 * Forms batches from events. One loop reads and folds while the caller writes: the next batch fills during a write, and
 * reading pauses when it is full, so at most two batches are in memory. A decision about parked events is a batch of
 * its own.
 */
export async function* readBatches(
  source: AsyncIterable<SubscriptionItem>,
  fold: Fold,
  applier: EventApplier,
  { start, cuts, limits }: ResumePlan,
): AsyncGenerator<Batch> {
  const ends = [...cuts];
  const age = batchAge(limits);
  let [after, upTo, events, asOfMs] = [start, start, 0, 0];
  let parked: ParkedEvent[] = [];
  let decided: Awaited<ReturnType<EventApplier['applyDecision']>> | undefined;
  let reader = { kind: 'reading' } as ReaderState;
  let wakeWriter = () => {};
  let wakeReader = () => {};
  let closed = false;
  /** The open batch takes no further event. */
  let alone = false;
  const isFull = () =>
    alone || (ends[0] === undefined ? isLarge(limits, fold.pending, events) : events > 0 && upTo >= ends[0]);
  const isDue = () => isFull() || (ends.length === 0 && age.leftMs <= 0);

  const count = (event: LogEvent) => {
    if (events === 0) age.opened();
    events += 1;
    upTo = event.position;
    asOfMs = Math.max(asOfMs, event.recordedAtMs);
    if (events === 1 || isFull()) wakeWriter();
  };

  const applyEvent = (event: LogEvent) => {
    const parkedEvent = applier.apply(event);
    if (parkedEvent) parked.push(parkedEvent);
    count(event);
  };

  /** Resolves once the caller has taken the open batch. */
  const sealed = async () => {
    alone = events > 0;
    wakeWriter();
    while (events > 0 && !closed) await new Promise<void>((resolve) => (wakeReader = resolve));
  };

  const applyDecision = async (event: LogEvent) => {
    await sealed();
    if (closed) return;
    decided = await applier.applyDecision(event);
    count(event);
    await sealed();
  };

  const catchUp = () => {
    // No further batch was announced: the remaining cuts belong to events that are no longer read.
    ends.length = 0;
    age.caughtUp();
    wakeWriter();
  };

  const read = async () => {
    try {
      for await (const followed of source) {
        if (followed.kind === 'caught-up') catchUp();
        else if (applier.isDecision(followed.event)) await applyDecision(followed.event);
        else applyEvent(followed.event);
        while (isFull() && !closed) await new Promise<void>((resolve) => (wakeReader = resolve));
      }
      reader = { kind: 'ended' };
    } catch (error) {
      reader = { kind: 'failed', error };
    }
    wakeWriter();
  };
  const reading = read();

  const waitUntilDue = async () => {
    while (reader.kind === 'reading' && !isDue()) {
      const waiting = new Promise<void>((resolve) => (wakeWriter = resolve));
      const timer = events > 0 && ends.length === 0 ? setTimeout(wakeWriter, Math.max(1, age.leftMs)) : undefined;
      await waiting;
      clearTimeout(timer);
    }
  };

  try {
    for (;;) {
      await waitUntilDue();
      const isLast = reader.kind === 'failed' && endsAfterBatch(reader.error) && events > 0 && ends.length === 0;
      if (reader.kind === 'failed' && !isLast) throw reader.error as Error;
      // A batch that ends before its cut would differ from the batch that was announced.
      if (reader.kind !== 'reading' && !isLast && (events === 0 || !isDue())) break;
      if (events === 0) continue;
      const { late = [], settled } = decided ?? {};
      const [stretch, sealed] = [{ after, upTo }, fold.seal({ after, upTo, late })];
      const batch = { ...stretch, sealed, events, asOfMs, parked, settled, tally: applier.takeTally() };
      [after, events, parked, decided, alone] = [upTo, 0, [], undefined, false];
      age.closed();
      while (ends[0] !== undefined && ends[0] <= upTo) ends.shift();
      wakeReader();
      yield batch;
    }
    await reading;
  } finally {
    closed = true;
    wakeReader();
  }
}
