import { randomUUID } from 'node:crypto';
import { streamPrefixes, streamPrefixesOf } from '@popsvc/contracts/events';
import type { EventStore } from '../event-store/index.ts';
import type { Postgres, Queryable } from '../postgres/index.ts';
import { createSignal, type Signal } from '../runtime/index.ts';
import type { Log } from '../telemetry/index.ts';
import { createPermitPool, createRunningConsumers, type PermitPool, retryUntilAborted } from './consumer-loop.ts';
import { type BusMetrics, deliver, type DeliveryContext, recordDeadLetter } from './delivery.ts';
import { type LeasedSubscriptionDependencies, subscribeWithLease } from './leased-subscription.ts';
import {
  insertMessages,
  postponeMessage,
  removeMessages,
  type StoredMessage,
  takeMessages,
} from './log-bus-messages.ts';
import type { Consumer, Delivery, MessageBus } from './port.ts';

interface RemovalBatch {
  readonly positions: string[];
  readonly removed: Promise<void>;
}

/**
 * Returns a function that removes acknowledged messages in batches: while one DELETE runs, further messages are collected for the
 * next one.
 */
const createBatchedRemoval = (postgres: Queryable, consumer: string): ((position: string) => Promise<void>) => {
  let running: Promise<void> = Promise.resolve();
  let batch: RemovalBatch | undefined;
  const openBatch = (): RemovalBatch => {
    const positions: string[] = [];
    const remove = () => {
      batch = undefined;
      return removeMessages(postgres, consumer, positions);
    };
    const removed = running.then(remove, remove);
    running = removed;
    return { positions, removed };
  };
  return (position) => {
    batch ??= openBatch();
    batch.positions.push(position);
    return batch.removed;
  };
};

const minPollMs = 10;
const maxPollMs = 250;

interface DeliveryLoop {
  readonly postgres: Postgres;
  readonly consumer: Consumer;
  readonly context: DeliveryContext;
  readonly permits: PermitPool;
  /** Wakes the loop when this process stores messages. The loop finds messages stored by other processes by polling. */
  readonly stored: Signal;
}

const toDelivery = (
  { postgres, consumer: { name, ackTimeoutMs } }: DeliveryLoop,
  message: StoredMessage,
  remove: (position: string) => Promise<void>,
): Delivery => ({
  ...message,
  acknowledge: () => remove(message.position),
  extendAckTimeout: () => postponeMessage(postgres, name, message, ackTimeoutMs),
  redeliverAfter: (afterMs) => postponeMessage(postgres, name, message, afterMs),
});

/** Delivers due messages as permits become free, until the signal aborts. Throws if PostgreSQL does not answer. */
const deliverDueMessages = async (loop: DeliveryLoop, signal: AbortSignal): Promise<void> => {
  const { postgres, consumer, context, permits, stored } = loop;
  const remove = createBatchedRemoval(postgres, consumer.name);
  let pollMs = minPollMs;
  for (;;) {
    const acquired = await permits.acquire(consumer.maxInFlight);
    if (acquired === 0) return;
    let used = 0;
    try {
      for (const message of await takeMessages(postgres, consumer, acquired)) {
        if (message.isDead) {
          recordDeadLetter(context, message);
          continue;
        }
        used += 1;
        void deliver(context, toDelivery(loop, message, remove)).finally(() => permits.release(1));
      }
    } finally {
      permits.release(acquired - used);
    }
    pollMs = used > 0 ? minPollMs : Math.min(pollMs * 2, maxPollMs);
    if (used === 0 && !signal.aborted) await stored.wait(pollMs);
  }
};

const maxEvents = 500;
const maxWaitMs = 5;

interface MessageSource {
  readonly consumer: Consumer;
  readonly firstDelayMs: number;
  readonly onStored: () => void;
}

/**
 * Reads a consumer's events from the log and stores them as messages, in the same transaction that moves the checkpoint. Only one
 * process does this at a time.
 */
const storeMessages = (
  dependencies: LeasedSubscriptionDependencies,
  { consumer: { name, types, prefixes = streamPrefixesOf(types) }, firstDelayMs, onStored }: MessageSource,
  signal: AbortSignal,
): Promise<void> => {
  const isConsumed = ({ type }: { type: string }) => types.includes(type);
  return subscribeWithLease(
    dependencies,
    {
      name: `bus:${name}`,
      // The subscription also includes the probe events, which the service appends every ten seconds. They keep the checkpoint
      // moving even if events for the consumer are rare.
      prefixes: [...prefixes, streamPrefixes.probe],
      maxEvents,
      maxWaitMs,
      onMoved: onStored,
      inTransaction: (client, events) => insertMessages(client, name, events.filter(isConsumed), firstDelayMs),
    },
    signal,
  );
};

export interface LogBusDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly log: Log;
  readonly metrics?: BusMetrics;
  /**
   * Owner of the leases, unique among running processes. Default: a random id. A process that restarts with the same owner
   * continues at once, without waiting for its previous lease to expire.
   */
  readonly owner?: string;
  /** Time in ms before the first delivery of a new message. It must be the same in all processes of a consumer. */
  readonly firstDelayMs?: number;
}

/**
 * Creates a bus that needs only the event log and PostgreSQL. It stores messages as table rows, so redelivery delays survive
 * restarts. With `firstDelayMs`, the bus can back up a faster bus: it delivers every message after this delay, so consumers also
 * receive the messages that the faster bus lost.
 */
export const createLogBus = (dependencies: LogBusDependencies): MessageBus => {
  const { store, postgres, log, metrics, owner = randomUUID(), firstDelayMs = 0 } = dependencies;
  const consumers = createRunningConsumers();
  return {
    consume: (consumer, handle, consumerSignal) =>
      consumers.run(consumerSignal, async (signal) => {
        const stored = createSignal(signal);
        const permits = createPermitPool(consumer.maxInFlight, signal);
        const context = { log, metrics, consumer: consumer.name, handle };
        const source = { consumer, firstDelayMs, onStored: () => stored.notify() };
        await Promise.all([
          retryUntilAborted({ task: `store messages for ${consumer.name}`, log, signal }, () =>
            storeMessages({ store, postgres, owner }, source, signal),
          ),
          retryUntilAborted({ task: `deliver messages to ${consumer.name}`, log, signal }, () =>
            deliverDueMessages({ postgres, consumer, context, permits, stored }, signal),
          ),
        ]);
        await permits.whenIdle();
      }),
    async ping() {
      await postgres.query('SELECT 1');
    },
    close: () => consumers.stop(),
  };
};
