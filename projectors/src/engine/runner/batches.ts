import { lastSequenceAt, placeOf, streamPrefixes } from '@popsvc/contracts/events';
import { ownsEvent, type Partition } from '@popsvc/domain/partitioning';
import { EventLogDamaged, type LogEvent, type SubscriptionItem } from '@popsvc/platform/event-store';
import type { HandledEvent, ParkedEvent, SettledParkedEvents } from '@popsvc/platform/postgres';
import { type Batch, type BatchLimits, isLarge } from '../batch.ts';
import type { EventApplier } from '../parking/event-applier.ts';
import { ParkingLimitReached, UnfoldableEvent } from '../parking/parking-errors.ts';
import { type LogItem, splitEvent } from '../log-items.ts';
import type { Fold } from '../projection.ts';

const batchAge = ({ ageMs, catchUpAgeMs = ageMs }: Pick<BatchLimits, 'ageMs' | 'catchUpAgeMs'>) => {
  let openedAt = Infinity;
  let allowedMs = catchUpAgeMs;
  return {
    open(): void {
      openedAt = Date.now();
    },
    close(): void {
      openedAt = Infinity;
    },
    markCaughtUp(): void {
      allowedMs = ageMs;
    },
    get leftMs(): number {
      return openedAt + allowedMs - Date.now();
    },
  };
};

/** Batches must end at each of the positions `cuts`. Before the last cut, a batch does not end because of its age. */
interface ResumePlan {
  readonly start: bigint;
  readonly cuts: readonly bigint[];
  readonly limits: BatchLimits;
  /** Events of other partitions that the run reads are not folded, but a batch may end at one. */
  readonly partition: Partition;
}

type ReaderState = { readonly kind: 'reading' | 'ended' } | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Writing the open batch preserves progress. An error in a later item of an event may have left only some items of that event in the batch.
 */
const endsAfterBatch = (error: unknown) =>
  error instanceof ParkingLimitReached ||
  (error instanceof UnfoldableEvent && placeOf(error.item.sequence).index === 0) ||
  error instanceof EventLogDamaged;

/** Reads events while the caller writes the previous batch, so at most two batches are in memory. */
export async function* readBatches(
  source: AsyncIterable<SubscriptionItem>,
  fold: Fold,
  applier: EventApplier,
  { start, cuts, limits, partition }: ResumePlan,
): AsyncGenerator<Batch> {
  const remainingCuts = [...cuts];
  const lastCut = cuts.at(-1) ?? start;
  const age = batchAge(limits);
  let after = start;
  let upTo = start;
  let events = 0;
  let items = 0;
  let asOfMs = 0;
  let sinceMs = Infinity;
  let lastEvent: HandledEvent | undefined;
  let parked: ParkedEvent[] = [];
  let settled: SettledParkedEvents | undefined;
  let reader = { kind: 'reading' } as ReaderState;
  let wakeWriter = () => {};
  let wakeReader = () => {};
  let isAbandoned = false;
  let isBatchClosed = false;
  const isAtCut = () => remainingCuts[0] !== undefined && events > 0 && upTo >= remainingCuts[0];
  const isFull = () => isBatchClosed || isAtCut() || isLarge(limits, fold.pending, items);
  const isDue = () => isFull() || (remainingCuts.length === 0 && age.leftMs <= 0);

  const addToBatch = (event: LogEvent, itemCount: number) => {
    if (events === 0) age.open();
    events += 1;
    items += itemCount;
    upTo = event.position;
    // A checkpoint refers to an event that is not a probe, because an event store may delete old probes.
    if (!event.stream.startsWith(streamPrefixes.probe)) lastEvent = { position: event.position, id: event.id };
    asOfMs = Math.max(asOfMs, event.recordedAtMs);
    sinceMs = Math.min(sinceMs, event.recordedAtMs);
    if (events === 1 || isFull()) wakeWriter();
  };

  const applyEvent = (event: LogEvent, ofEvent: readonly LogItem[]) => {
    parked.push(...applier.apply(ofEvent));
    addToBatch(event, ofEvent.length);
  };

  const waitUntilTaken = async () => {
    isBatchClosed = events > 0;
    wakeWriter();
    while (events > 0 && !isAbandoned) await new Promise<void>((resolve) => (wakeReader = resolve));
  };

  const applyDecision = async (event: LogEvent, decision: LogItem) => {
    await waitUntilTaken();
    if (isAbandoned) return;
    settled = await applier.applyDecision(decision);
    addToBatch(event, 1);
    await waitUntilTaken();
  };

  /** The run may get no event at a cut, because another partition reads that event or the event store has deleted it. */
  const closeAtCuts = async (position: bigint) => {
    while (remainingCuts[0] !== undefined && remainingCuts[0] < position && !isAbandoned) {
      if (events === 0) remainingCuts.shift();
      else {
        upTo = remainingCuts[0];
        await waitUntilTaken();
      }
    }
  };

  const addEvent = async (event: LogEvent) => {
    await closeAtCuts(event.position);
    if (isAbandoned) return;
    if (!ownsEvent(partition, event)) {
      addToBatch(event, 0);
      return;
    }
    const ofEvent = splitEvent(event);
    if (applier.isDecision(ofEvent[0])) await applyDecision(event, ofEvent[0]);
    else applyEvent(event, ofEvent);
  };

  const catchUp = () => {
    // The run has read the whole log, so no event at or before a remaining cut can follow.
    remainingCuts.length = 0;
    age.markCaughtUp();
    wakeWriter();
  };

  const read = async () => {
    try {
      for await (const followed of source) {
        if (followed.kind === 'caught-up') catchUp();
        else await addEvent(followed.event);
        while (isFull() && !isAbandoned) await new Promise<void>((resolve) => (wakeReader = resolve));
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
      const timer =
        events > 0 && remainingCuts.length === 0 ? setTimeout(wakeWriter, Math.max(1, age.leftMs)) : undefined;
      await waiting;
      clearTimeout(timer);
    }
  };

  try {
    for (;;) {
      await waitUntilDue();
      const isLast =
        reader.kind === 'failed' && endsAfterBatch(reader.error) && events > 0 && remainingCuts.length === 0;
      if (reader.kind === 'failed' && !isLast) throw reader.error as Error;
      // A batch that has not reached its cut would differ from the batch that an earlier run announced. The next run reads its events
      // again.
      if (reader.kind !== 'reading' && !isLast && (events === 0 || !isDue())) break;
      if (events === 0) continue;
      const late = settled?.released ?? [];
      const sealed = fold.seal({
        after: lastSequenceAt(after),
        upTo: lastSequenceAt(upTo),
        late,
        isFoldedAgain: after < lastCut,
      });
      const batch = {
        after,
        upTo,
        sealed,
        events,
        items,
        asOfMs,
        sinceMs,
        event: lastEvent,
        parked,
        settled,
      };
      after = upTo;
      events = 0;
      items = 0;
      sinceMs = Infinity;
      lastEvent = undefined;
      parked = [];
      settled = undefined;
      isBatchClosed = false;
      age.close();
      while (remainingCuts[0] !== undefined && remainingCuts[0] <= upTo) remainingCuts.shift();
      wakeReader();
      yield batch;
    }
    await reading;
  } finally {
    isAbandoned = true;
    wakeReader();
  }
}
