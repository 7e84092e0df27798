import type { Followed, LogEvent } from '@popsvc/platform/event-store';
import type { ParkedEvent } from '@popsvc/platform/records';
import type { Fold, Sealed } from './projection.ts';

export interface Limits {
  readonly rows: number;
  readonly bytes: number;
  readonly ageMs: number;
}

/** 10,000 rows or 8 MB are the size ClickHouse likes; the age bounds how stale a quiet projection may be. */
export const liveLimits: Limits = { rows: 10_000, bytes: 8_000_000, ageMs: 250 };

export interface Batch {
  readonly sealed: Sealed;
  readonly after: bigint;
  readonly upTo: bigint;
  readonly events: number;
  readonly asOfMs: number;
  readonly parked: readonly ParkedEvent[];
}

const parkedOf = ({ position, stream, type, data, metadata }: LogEvent, error: unknown): ParkedEvent => ({
  position,
  stream,
  type,
  error: error instanceof Error ? error.message : String(error),
  raw: JSON.stringify({ data, metadata }),
});

/**
 * Events into batches: one loop reads and folds, the caller writes. While one batch is written the next one fills, and
 * when that is full reading waits, so memory is bounded by two batches.
 */
export async function* batches(
  source: AsyncIterable<Followed>,
  fold: Fold,
  start: bigint,
  { rows, bytes, ageMs }: Limits,
): AsyncGenerator<Batch> {
  let [after, upTo, events, asOfMs] = [start, start, 0, 0];
  let parked: ParkedEvent[] = [];
  let dueAt = Infinity;
  let [ended, failure] = [false, undefined as unknown];
  let wakeWriter = () => {};
  let wakeReader = () => {};
  const isFull = () => fold.pending.rows >= rows || fold.pending.bytes >= bytes || events >= rows;

  const take = (event: LogEvent) => {
    try {
      fold.take(event);
    } catch (error) {
      parked.push(parkedOf(event, error));
    }
    if (events === 0) dueAt = Date.now() + ageMs;
    events += 1;
    upTo = event.position;
    asOfMs = Math.max(asOfMs, event.recordedAtMs);
    if (events === 1 || isFull()) wakeWriter();
  };

  const read = async () => {
    try {
      for await (const followed of source) {
        if (followed.kind === 'event') take(followed.event);
        while (isFull()) await new Promise<void>((resolve) => (wakeReader = resolve));
      }
    } catch (error) {
      failure = error;
    }
    ended = true;
    wakeWriter();
  };
  const reading = read();

  const due = async () => {
    while (!ended && !isFull() && Date.now() < dueAt) {
      const waiting = new Promise<void>((resolve) => (wakeWriter = resolve));
      const timer = events > 0 ? setTimeout(wakeWriter, Math.max(1, dueAt - Date.now())) : undefined;
      await waiting;
      clearTimeout(timer);
    }
  };

  for (;;) {
    await due();
    if (failure !== undefined) throw failure as Error;
    if (events > 0) {
      const batch: Batch = { sealed: fold.seal({ after, upTo }), after, upTo, events, asOfMs, parked };
      [after, events, parked, dueAt] = [upTo, 0, [], Infinity];
      wakeReader();
      yield batch;
    } else if (ended) break;
  }
  await reading;
}
