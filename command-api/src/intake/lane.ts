import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import type { TraceContext } from '@popsvc/platform/telemetry';
import { type Chunk, chunkLimits } from './chunks.ts';

/** A chunk on its way into the log, and whom to tell. */
export interface Waiting {
  readonly chunk: Chunk;
  /** Where its request stands in a trace. */
  readonly trail: TraceContext | undefined;
  /** Monotonic ms after which its outcome is not waited for. */
  readonly until: number;
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

/** What one append call takes from a lane: as many as fit, in the order they came, always at least one. */
export const takeGroup = (lane: Waiting[]): readonly Waiting[] => {
  let [events, bytes, count] = [0, 0, 0];
  for (const { chunk } of lane) {
    events += chunk.events.length;
    bytes += chunk.bytes;
    if (count > 0 && (events > chunkLimits.events || bytes > chunkLimits.bytes)) break;
    count++;
  }
  return lane.splice(0, count);
};

/** An append has at least so long: one that is given up too soon is taken for a log that does not answer. */
const leastMs = 1_000;

/** Those that can still be waited for; the others are told that they were never sent. */
export const dropLate = (group: readonly Waiting[]): readonly Waiting[] =>
  group.filter(({ until, failed }) => {
    const inTime = until - performance.now() >= leastMs;
    if (!inTime) failed(new EventStoreUnavailable('the event store was busy for too long'));
    return inTime;
  });
