import type { LogEvent, SubscriptionItem } from '@popsvc/platform/event-store';
import type { ParkedEvent } from '@popsvc/platform/postgres';
import { type Batch, type BatchLimits, isLarge } from '../batch.ts';
import type { EventApplier } from '../parking/event-applier.ts';
import { ParkingLimitReached, UnknownDecision } from '../parking/poison.ts';
import type { Fold } from '../projection.ts';

/** How long the open batch may still wait for more events: longer while the past is read. */
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
    /** Infinite while there is no open batch. */
    get leftMs(): number {
      return openedAt + allowedMs - Date.now();
    },
  };
};

/** From where, and at which sizes; `cuts` are positions at which batches must end, whatever their size. */
interface ResumePlan {
  readonly start: bigint;
  readonly cuts: readonly bigint[];
  readonly limits: BatchLimits;
}

/** What came before it is written down first: who resumes gets further each time. */
const isEnd = (failure: unknown) => failure instanceof ParkingLimitReached || failure instanceof UnknownDecision;

/**
 * Events into batches: one loop reads and folds, the caller writes. While one batch is written the next one fills, and
 * when that is full reading waits, so memory is bounded by two batches. A decision about parked events is a batch of its own.
 */
export async function* readBatches(
  source: AsyncIterable<SubscriptionItem>,
  fold: Fold,
  intake: EventApplier,
  { start, cuts, limits }: ResumePlan,
): AsyncGenerator<Batch> {
  const ends = [...cuts];
  const age = batchAge(limits);
  let [after, upTo, events, asOfMs] = [start, start, 0, 0];
  let parked: ParkedEvent[] = [];
  let decided: Awaited<ReturnType<EventApplier['applyDecision']>> | undefined;
  let [ended, failure] = [false, undefined as unknown];
  let wakeWriter = () => {};
  let wakeReader = () => {};
  let [closed, alone] = [false, false];
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

  const take = (event: LogEvent) => {
    const aside = intake.apply(event);
    if (aside) parked.push(aside);
    count(event);
  };

  /** Until what was read is on its way. */
  const sealed = async () => {
    alone = events > 0;
    wakeWriter();
    while (events > 0 && !closed) await new Promise<void>((resolve) => (wakeReader = resolve));
  };

  const decide = async (event: LogEvent) => {
    await sealed();
    if (closed) return;
    decided = await intake.applyDecision(event);
    count(event);
    await sealed();
  };

  const catchUp = () => {
    // Nothing more was ever begun: what is left of the cuts belongs to events that are not read any more.
    ends.length = 0;
    age.caughtUp();
    wakeWriter();
  };

  const read = async () => {
    try {
      for await (const followed of source) {
        if (followed.kind === 'caught-up') catchUp();
        else if (intake.isDecision(followed.event)) await decide(followed.event);
        else take(followed.event);
        while (isFull() && !closed) await new Promise<void>((resolve) => (wakeReader = resolve));
      }
    } catch (error) {
      failure = error;
    }
    ended = true;
    wakeWriter();
  };
  const reading = read();

  const due = async () => {
    while (!ended && !isDue()) {
      const waiting = new Promise<void>((resolve) => (wakeWriter = resolve));
      const timer = events > 0 && ends.length === 0 ? setTimeout(wakeWriter, Math.max(1, age.leftMs)) : undefined;
      await waiting;
      clearTimeout(timer);
    }
  };

  try {
    for (;;) {
      await due();
      const isLast = isEnd(failure) && events > 0 && ends.length === 0;
      if (failure !== undefined && !isLast) throw failure as Error;
      // A batch that ends before its cut would be another batch than the one that was begun.
      if (ended && !isLast && (events === 0 || !isDue())) break;
      if (events === 0) continue;
      const { late = [], settled } = decided ?? {};
      const [stretch, sealed] = [{ after, upTo }, fold.seal({ after, upTo, late })];
      const batch = { ...stretch, sealed, events, asOfMs, parked, settled, tally: intake.takeTally() };
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
