import type { EventStore, SubscribeOptions } from '@popsvc/platform/event-store';
import { createCondition } from './moving.ts';
import { isMainSubscription } from './without-end.ts';

export interface LimitedLog {
  readonly store: EventStore;
  /** Lets what stands up to there pass; it never takes back what it let pass before. */
  raiseLimit(to: bigint): void;
  /** The same, and what stands further on is to wait, also where it might have passed before. */
  setLimit(to: bigint): void;
  /** Position of the last event that was let pass; undefined before the first. */
  readonly lastPassed: bigint | undefined;
  /** Whether anybody follows. */
  readonly isFollowed: boolean;
  /** Of the one that waits to pass; undefined while none does. */
  readonly waitingAt: bigint | undefined;
}

/**
 * The log for who follows `prefixes`, the very list, without an end of his own: what is past a position waits until that is raised.
 * What else follows sees all, and is not counted as following.
 */
export const createLimitedLog = (
  store: EventStore,
  prefixes: readonly string[],
  onMove: () => void = () => undefined,
): LimitedLog => {
  let upTo = 0n;
  let [passed, waiting]: (bigint | undefined)[] = [];
  let isFollowed = false;
  const raised = createCondition();

  const bound = (to: bigint) => {
    upTo = to;
    raised.notify();
  };

  /** Until an event may pass; what it waits for besides is the end. */
  const isFree = async (position: bigint, signal: AbortSignal) => {
    if (position > upTo) {
      waiting = position;
      onMove();
      await raised.waitUntil(() => position <= upTo, signal);
    }
    waiting = undefined;
    passed = position;
    return !signal.aborted;
  };

  async function* paced(options: SubscribeOptions) {
    isFollowed = true;
    onMove();
    for await (const followed of store.subscribe(options)) {
      if (followed.kind === 'event' && !(await isFree(followed.event.position, options.signal))) return;
      yield followed;
    }
  }

  const isPaced = isMainSubscription(prefixes);
  return {
    store: { ...store, subscribe: (options) => (isPaced(options) ? paced(options) : store.subscribe(options)) },
    raiseLimit(to) {
      if (to > upTo) bound(to);
    },
    setLimit: bound,
    get lastPassed() {
      return passed;
    },
    get isFollowed() {
      return isFollowed;
    },
    get waitingAt() {
      return waiting;
    },
  };
};
