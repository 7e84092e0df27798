import {
  type EventStore,
  EventStoreRejected,
  EventStoreUnavailable,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import { reachFailPoint } from '@popsvc/platform/runtime';
import {
  currentTraceContext,
  isSampled,
  isTracingEnabled,
  runInSpan,
  runOutsideSpans,
  type TraceContext,
} from '@popsvc/platform/telemetry';
import type { EventStoreCircuit } from './event-store-circuit.ts';
import type { IntakeMetrics } from './metrics.ts';
import { type Chunk, chunkLimits } from './request-events.ts';

export interface Appender {
  /**
   * Resolves when the chunk is durable. EventStoreRejected: nothing of it is stored, and a retry cannot succeed. After any other
   * failure the outcome is unknown: append again with the same ids.
   */
  append(stream: string, chunk: Chunk): Promise<void>;
}

/** How long a request waits for its append. */
const appendTimeoutMs = 5_000;

/** The least time an append call gets: one that is aborted too early looks like an event store that does not answer. */
const minAppendMs = 1_000;

interface PendingChunk {
  readonly chunk: Chunk;
  /** The trace context of its request. */
  readonly traceContext: TraceContext | undefined;
  /** On the monotonic clock (`performance.now`), ms. */
  readonly deadlineMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const isRejection = (error: unknown): boolean =>
  error instanceof WrongExpectedVersion || error instanceof EventStoreRejected;

/**
 * Group commit: at most one append call at a time for each stream; chunks that arrive meanwhile share the next call. Each chunk
 * has its own outcome: when the event store rejects a group because one chunk is stored already or cannot be stored, the
 * appender sends the chunks of the group one by one.
 */
export const createAppender = (
  store: Pick<EventStore, 'append'>,
  circuit: EventStoreCircuit,
  metrics: IntakeMetrics,
): Appender => {
  const queues = new Map<string, PendingChunk[]>();

  const appendEvents = async (stream: string, events: Chunk['events'], group: readonly PendingChunk[]) => {
    const startedAtMs = performance.now();
    const timeoutMs = Math.max(1, Math.min(...group.map(({ deadlineMs }) => deadlineMs)) - startedAtMs);
    let outcome: 'stored' | 'refused' | 'unknown' = 'unknown';
    try {
      circuit.requireAvailable();
      await appendInSpan(group, () => store.append(stream, events, { timeoutMs }));
      outcome = 'stored';
    } catch (error) {
      if (isRejection(error)) outcome = 'refused';
      if (error instanceof EventStoreUnavailable) circuit.reportUnavailable();
      throw error;
    } finally {
      metrics.observeAppend((performance.now() - startedAtMs) / 1_000, group.length, outcome);
    }
  };

  /**
   * For a chunk of which the event store recognizes only a part, since it forgets the ids of old events: the events that it
   * recognizes are not stored again.
   */
  const appendEventByEvent = async (stream: string, pending: PendingChunk) => {
    for (const event of pending.chunk.events) await appendEvents(stream, [event], [pending]);
  };

  const appendAlone = async (stream: string, pending: PendingChunk) => {
    try {
      await appendEvents(stream, pending.chunk.events, [pending]).catch((error: unknown) => {
        if (error instanceof WrongExpectedVersion) return appendEventByEvent(stream, pending);
        throw error;
      });
      pending.resolve();
    } catch (error) {
      pending.reject(error);
    }
  };

  const appendGroup = async (stream: string, group: readonly PendingChunk[]) => {
    const events = group.flatMap(({ chunk }) => chunk.events);
    try {
      await appendEvents(stream, events, group);
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (isRejection(error)) await Promise.all(group.map((pending) => appendAlone(stream, pending)));
      else for (const { reject } of group) reject(error);
    }
  };

  const drainQueue = async (stream: string, queue: PendingChunk[]) => {
    queues.set(stream, queue);
    // Requests that arrive in the same turn of the event loop join the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const group = rejectExpired(takeGroup(queue));
      if (group.length === 1) await appendAlone(stream, group[0]!);
      else if (group.length > 1) await appendGroup(stream, group);
    }
    queues.delete(stream);
  };

  return {
    append: (stream, chunk) =>
      new Promise<void>((resolve, reject) => {
        circuit.requireAvailable();
        const stopWaiting = metrics.trackWaiting();
        const pending: PendingChunk = {
          chunk,
          traceContext: currentTraceContext(),
          deadlineMs: performance.now() + appendTimeoutMs,
          resolve() {
            stopWaiting();
            resolve();
          },
          reject(error) {
            stopWaiting();
            reject(error instanceof Error ? error : new Error(String(error)));
          },
        };
        const queue = queues.get(stream);
        if (queue) queue.push(pending);
        else void runOutsideSpans(() => drainQueue(stream, [pending]));
      }),
  };
};

/** Removes from a queue what the next append call carries: as many chunks as fit, in order of arrival, and at least one. */
const takeGroup = (queue: PendingChunk[]): readonly PendingChunk[] => {
  let events = 0;
  let bytes = 0;
  let count = 0;
  for (const { chunk } of queue) {
    events += chunk.events.length;
    bytes += chunk.bytes;
    if (count > 0 && (events > chunkLimits.events || bytes > chunkLimits.bytes)) break;
    count++;
  }
  return queue.splice(0, count);
};

/** Rejects the chunks whose deadline is too near, before they are sent, and returns the others. */
const rejectExpired = (group: readonly PendingChunk[]): readonly PendingChunk[] =>
  group.filter(({ deadlineMs, reject }) => {
    const hasTime = deadlineMs - performance.now() >= minAppendMs;
    if (!hasTime) reject(new EventStoreUnavailable('the event store was busy for too long'));
    return hasTime;
  });

/** Runs an append in a span that continues the trace of the group's first sampled request and links to those of the others. */
const appendInSpan = <T>(
  group: readonly Pick<PendingChunk, 'traceContext'>[],
  append: () => Promise<T>,
): Promise<T> => {
  const [parent, ...links] = isTracingEnabled() ? group.map(({ traceContext }) => traceContext).filter(isSampled) : [];
  if (parent === undefined) return appendWithFailPoints(append);
  const attributes = { 'popsvc.requests': group.length };
  return runInSpan(
    () => ({ name: 'append group', kind: 'internal', parent, links, attributes }),
    () => appendWithFailPoints(append),
  );
};

/** Tests kill the process at these points (`POPSVC_FAIL_POINT`). */
const appendWithFailPoints = async <T>(append: () => Promise<T>): Promise<T> => {
  reachFailPoint('before-append', 'intake');
  const appended = await append();
  reachFailPoint('after-append', 'intake');
  return appended;
};
