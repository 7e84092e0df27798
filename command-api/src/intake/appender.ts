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
import type { IntakeTimeouts } from './timeouts.ts';

export interface Appender {
  /**
   * Appends a chunk and resolves once it is durable. Rejects with EventStoreRejected if a retry cannot succeed. After any other failure,
   * events of the chunk may be stored; the caller may append the chunk again with the same event ids.
   */
  append(stream: string, chunk: Chunk): Promise<void>;
}

/**
 * A chunk that leaves the queue with less time until its deadline is rejected without an append call. An aborted call would make the event
 * store appear unavailable and open the circuit breaker.
 */
const minAppendMs = 1_000;

interface PendingChunk {
  readonly chunk: Chunk;
  /** The trace context of the request that sent the chunk. */
  readonly traceContext: TraceContext | undefined;
  /** When the request stops waiting, in ms of the monotonic clock (`performance.now`). */
  readonly deadlineMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const isRejection = (error: unknown): boolean =>
  error instanceof WrongExpectedVersion || error instanceof EventStoreRejected;

/**
 * Creates an appender with group commit: chunks that arrive for a stream while an append call runs wait and are grouped into the next
 * calls. If the event store rejects a group, the appender concurrently sends each chunk of the group in a call of its own, because only
 * some of the chunks may be at fault.
 */
export const createAppender = (
  store: Pick<EventStore, 'append'>,
  circuit: EventStoreCircuit,
  metrics: IntakeMetrics,
  { appendMs }: Pick<IntakeTimeouts, 'appendMs'>,
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
   * Appends the events of a chunk one by one, so that the event store skips those that it has already stored. The event store would
   * reject the chunk as a whole if it recognized only some of its events. That happens because it remembers only recent event ids.
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
    // Waits for one iteration of the event loop. Requests that arrive in the same iteration then share the first append call.
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
          deadlineMs: performance.now() + appendMs,
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

/** Takes the chunks of the next append call from the queue: at least one, and as many in order of arrival as fit into one call. */
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

/** Rejects chunks that have less than `minAppendMs` left until their deadline, and returns the others. */
const rejectExpired = (group: readonly PendingChunk[]): readonly PendingChunk[] =>
  group.filter(({ deadlineMs, reject }) => {
    const hasTime = deadlineMs - performance.now() >= minAppendMs;
    if (!hasTime) reject(new EventStoreUnavailable('the append was not sent in time: the event store is busy'));
    return hasTime;
  });

/**
 * Runs an append, in a span if a request of the group is sampled. The span continues the trace of the first sampled request in the group
 * and links to the traces of the other sampled requests.
 */
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

/** Runs an append between two fail points. A test can kill the process at either of them (`POPSVC_FAIL_POINT`). */
const appendWithFailPoints = async <T>(append: () => Promise<T>): Promise<T> => {
  reachFailPoint('before-append', 'intake');
  const appended = await append();
  reachFailPoint('after-append', 'intake');
  return appended;
};
