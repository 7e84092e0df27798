import type { Postgres } from '../../postgres/index.ts';
import type { Signal } from '../../runtime/index.ts';
import { bury, deliver, type Post } from '../deliver.ts';
import type { Hands } from '../hands.ts';
import type { Consumer, Delivery } from '../port.ts';
import { type KeptMessage, postponeMessage, takeMessages } from './messages.ts';
import { removals } from './removals.ts';

const [shortestPauseMs, longestPauseMs] = [10, 250];

export interface Bringing {
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
export const bring = async (parts: Bringing, signal: AbortSignal): Promise<void> => {
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
