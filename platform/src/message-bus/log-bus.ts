import { randomUUID } from 'node:crypto';
import { streamPrefixes, streamPrefixesOf } from '@popsvc/contracts/events';
import type { EventStore } from '../event-store/index.ts';
import type { Postgres, Queryable } from '../postgres/index.ts';
import { createSignal, type Signal } from '../runtime/index.ts';
import type { Log } from '../telemetry/index.ts';
import { bury, type BusMetrics, createHands, deliver, type Hands, type Post } from './delivery.ts';
import { keepGoing } from './retry-loop.ts';
import { type LeasedSubscriptionDependencies, subscribeWithLease } from './leased-subscription.ts';
import { type KeptMessage, postponeMessage, putMessages, removeMessages, takeMessages } from './log-bus-messages.ts';
import type { Consumer, Delivery, MessageBus } from './port.ts';

interface Gathering {
  readonly positions: string[];
  readonly removed: Promise<void>;
}

/** Removes what a consumer is done with; while one statement is under way, the messages of the next one gather. */
const removals = (postgres: Queryable, consumer: string): ((position: string) => Promise<void>) => {
  let underWay: Promise<void> = Promise.resolve();
  let gathering: Gathering | undefined;
  const gather = (): Gathering => {
    const positions: string[] = [];
    const remove = () => {
      gathering = undefined;
      return removeMessages(postgres, consumer, positions);
    };
    const removed = underWay.then(remove, remove);
    underWay = removed;
    return { positions, removed };
  };
  return (position) => {
    gathering ??= gather();
    gathering.positions.push(position);
    return gathering.removed;
  };
};

const [shortestPauseMs, longestPauseMs] = [10, 250];

interface Bringing {
  readonly postgres: Postgres;
  readonly consumer: Consumer;
  readonly post: Post;
  readonly hands: Hands;
  /** Rings when this process put something down; what others put down is found by looking. */
  readonly news: Signal;
}

type Remove = ReturnType<typeof removals>;

const asDelivery = (
  { postgres, consumer: { name, ackTimeoutMs } }: Bringing,
  message: KeptMessage,
  remove: Remove,
): Delivery => ({
  ...message,
  acknowledge: () => remove(message.position),
  extendAckTimeout: () => postponeMessage(postgres, name, message, ackTimeoutMs),
  redeliverAfter: (afterMs) => postponeMessage(postgres, name, message, afterMs),
});

/** Takes what is due as hands are free, until the signal; throws when PostgreSQL does not answer. */
const bring = async (parts: Bringing, signal: AbortSignal): Promise<void> => {
  const { postgres, consumer, post, hands, news } = parts;
  const remove = removals(postgres, consumer.name);
  let pauseMs = shortestPauseMs;
  for (;;) {
    const free = await hands.some(consumer.maxInFlight);
    if (free === 0) return;
    let inUse = 0;
    try {
      for (const message of await takeMessages(postgres, consumer, free)) {
        if (message.isDead) {
          bury(post, message);
          continue;
        }
        inUse += 1;
        void deliver(post, asDelivery(parts, message, remove)).finally(() => hands.back(1));
      }
    } finally {
      hands.back(free - inUse);
    }
    pauseMs = inUse > 0 ? shortestPauseMs : Math.min(pauseMs * 2, longestPauseMs);
    if (inUse === 0 && !signal.aborted) await news.wait(pauseMs);
  }
};

const [maxEvents, maxWaitMs] = [500, 5];

interface Filled {
  readonly consumer: Consumer;
  readonly firstDelayMs: number;
  readonly onNews: () => void;
}

/** One process at a time, whichever, puts down what a consumer wants, in one transaction with how far it has read. */
const fill = (
  parts: LeasedSubscriptionDependencies,
  { consumer: { name, types, prefixes = streamPrefixesOf(types) }, firstDelayMs, onNews }: Filled,
  signal: AbortSignal,
): Promise<void> => {
  const task = {
    name: `bus:${name}`,
    // Probes move the position on where little happens.
    prefixes: [...prefixes, streamPrefixes.probe],
    maxEvents,
    maxWaitMs,
    onMoved: onNews,
  };
  const isWanted = ({ type }: { type: string }) => types.includes(type);
  return subscribeWithLease(
    parts,
    { ...task, inTransaction: (client, events) => putMessages(client, name, events.filter(isWanted), firstDelayMs) },
    signal,
  );
};

export interface LogBusDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly log: Log;
  readonly metrics?: BusMetrics;
  /** Of this process, and of no other that runs: a name that stays goes on at once where it was killed. Default: a new one. */
  readonly owner?: string;
  /** How long a new message waits before it comes the first time; the same in all processes of a consumer. */
  readonly firstDelayMs?: number;
}

/**
 * The bus on the log and PostgreSQL alone. What a consumer wants is put down in a table and taken from there; `again` until an
 * instant is a timer that survives restarts. With `firstDelayMs` it comes after a faster bus, and brings what that one lost.
 */
export const createLogBus = (parts: LogBusDependencies): MessageBus => {
  const { store, postgres, log, metrics, owner = randomUUID(), firstDelayMs = 0 } = parts;
  const end = new AbortController();
  const consuming = new Set<Promise<unknown>>();
  const consume: MessageBus['consume'] = async (consumer, handle, asked) => {
    const signal = AbortSignal.any([asked, end.signal]);
    const news = createSignal(signal);
    const hands = createHands(consumer.maxInFlight, signal);
    const post = { log, metrics, consumer: consumer.name, handle };
    const filled = { consumer, firstDelayMs, onNews: () => news.notify() };
    await Promise.all([
      keepGoing({ what: `filling ${consumer.name}`, log, signal }, () =>
        fill({ store, postgres, owner }, filled, signal),
      ),
      keepGoing({ what: `bringing ${consumer.name}`, log, signal }, () =>
        bring({ postgres, consumer, post, hands, news }, signal),
      ),
    ]);
    await hands.empty();
  };
  return {
    consume(...given) {
      const done = consume(...given);
      consuming.add(done);
      return done.finally(() => consuming.delete(done));
    },
    async ping() {
      await postgres.query('SELECT 1');
    },
    async close() {
      end.abort();
      await Promise.allSettled(consuming);
    },
  };
};
