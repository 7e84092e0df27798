import {
  type EventStore,
  EventStoreRejected,
  EventStoreUnavailable,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import { runOutsideSpans, currentTraceContext } from '@popsvc/platform/telemetry';
import { appendFor } from './append-for.ts';
import type { Chunk } from './chunks.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import { dropLate, takeGroup, type Waiting } from './lane.ts';
import type { StoreGate } from './store-gate.ts';

export interface Appender {
  /**
   * Resolves when the chunk is durable. EventStoreRejected: it never will be, and nothing of it is. Any other failure leaves the
   * outcome unknown: tell it again with the same ids.
   */
  append(stream: string, chunk: Chunk): Promise<void>;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof WrongExpectedVersion || error instanceof EventStoreRejected;

/** How long a request waits for the log. */
export const appendMs = 5_000;

/**
 * Group commit: one append call a stream at a time, and what arrives meanwhile travels together in the next. Each request has its
 * own outcome: a group that is refused for one of them, because it is known already or never taken, is sent again one by one.
 */
export const createAppender = (
  store: Pick<EventStore, 'append'>,
  gate: StoreGate,
  metrics: IntakeMetrics,
): Appender => {
  const lanes = new Map<string, Waiting[]>();

  const timed = async (stream: string, events: Chunk['events'], group: readonly Waiting[]) => {
    const began = performance.now();
    const timeoutMs = Math.max(1, Math.min(...group.map(({ until }) => until)) - began);
    let outcome: 'stored' | 'refused' | 'unknown' = 'unknown';
    try {
      gate.pass();
      await appendFor(group, () => store.append(stream, events, { timeoutMs }));
      outcome = 'stored';
    } catch (error) {
      if (isRefusal(error)) outcome = 'refused';
      if (error instanceof EventStoreUnavailable) gate.close();
      throw error;
    } finally {
      metrics.appended((performance.now() - began) / 1_000, group.length, outcome);
    }
  };

  /** An append that is known in part, because the store forgot the rest: what it still knows is not stored again. */
  const oneByOne = async (stream: string, waiting: Waiting) => {
    for (const event of waiting.chunk.events) await timed(stream, [event], [waiting]);
  };

  const alone = async (stream: string, waiting: Waiting) => {
    try {
      await timed(stream, waiting.chunk.events, [waiting]).catch((error: unknown) => {
        if (error instanceof WrongExpectedVersion) return oneByOne(stream, waiting);
        throw error;
      });
      waiting.stored();
    } catch (error) {
      waiting.failed(error);
    }
  };

  const together = async (stream: string, group: readonly Waiting[]) => {
    const events = group.flatMap(({ chunk }) => chunk.events);
    try {
      await timed(stream, events, group);
      for (const { stored } of group) stored();
    } catch (error) {
      if (isRefusal(error)) await Promise.all(group.map((waiting) => alone(stream, waiting)));
      else for (const { failed } of group) failed(error);
    }
  };

  const run = async (stream: string, lane: Waiting[]) => {
    lanes.set(stream, lane);
    // What else arrived in this turn of the event loop comes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (lane.length > 0) {
      const group = dropLate(takeGroup(lane));
      if (group.length === 1) await alone(stream, group[0]!);
      else if (group.length > 1) await together(stream, group);
    }
    lanes.delete(stream);
  };

  return {
    append: (stream, chunk) =>
      new Promise<void>((stored, failed) => {
        gate.pass();
        const over = metrics.waits();
        const waiting: Waiting = {
          chunk,
          trail: currentTraceContext(),
          until: performance.now() + appendMs,
          stored() {
            over();
            stored();
          },
          failed(error) {
            over();
            failed(error instanceof Error ? error : new Error(String(error)));
          },
        };
        const lane = lanes.get(stream);
        if (lane) lane.push(waiting);
        else void runOutsideSpans(() => run(stream, [waiting]));
      }),
  };
};
