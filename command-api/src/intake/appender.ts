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
   * Resolves once the chunk is durable. Rejects with EventStoreRejected if a retry cannot succeed. After other failures, some events may be
   * stored; retry with the same event ids.
   */
  append(stream: string, chunk: Chunk): Promise<void>;
}

/** A call without enough time would be aborted, which would make the event store appear unavailable and open the circuit breaker. */
const minAppendMs = 1_000;

interface PendingChunk {
  readonly chunk: Chunk;
  readonly traceContext: TraceContext | undefined;
  /** Ms on the monotonic clock. */
  readonly deadlineMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const isRejection = (error: unknown): boolean =>
  error instanceof WrongExpectedVersion || error instanceof EventStoreRejected;

/**
 * Group commit: chunks that arrive while a call for their stream runs share the next call. A rejected group is repeated chunk by chunk,
 * because only some chunks may be at fault.
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
   * The event store remembers only recent event ids: it rejects a chunk of which it recognizes some events, but skips a single event that
   * it recognizes.
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
    // Requests that arrive in the same turn of the event loop share the first call.
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

/** At least one chunk, and as many in order of arrival as fit into one call. */
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

const rejectExpired = (group: readonly PendingChunk[]): readonly PendingChunk[] =>
  group.filter(({ deadlineMs, reject }) => {
    const hasTime = deadlineMs - performance.now() >= minAppendMs;
    if (!hasTime) reject(new EventStoreUnavailable('the append was not sent in time: the event store is busy'));
    return hasTime;
  });

/** Continues the trace of the first sampled request, and links to the traces of the others. */
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
