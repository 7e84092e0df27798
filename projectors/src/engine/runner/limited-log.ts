import type { EventStore, SubscribeOptions } from '@popsvc/platform/event-store';

/** A condition variable: `notify` makes every waiter evaluate its predicate again. */
interface Condition {
  notify(): void;
  /** Also resolves when the signal aborts. */
  waitUntil(holds: () => boolean, signal: AbortSignal): Promise<void>;
}

export const createCondition = (): Condition => {
  const waiters = new Set<() => void>();
  const moved = () => {
    for (const evaluate of [...waiters]) evaluate();
  };
  return {
    notify: moved,
    waitUntil: (holds, signal) =>
      new Promise((resolve) => {
        const evaluate = () => {
          if (!holds() && !signal.aborted) return;
          waiters.delete(evaluate);
          signal.removeEventListener('abort', evaluate);
          resolve();
        };
        waiters.add(evaluate);
        signal.addEventListener('abort', evaluate);
        evaluate();
      }),
  };
};

/**
 * Returns true for the subscription that the runner folds: it follows exactly this list of prefixes, by reference, and
 * has no end position.
 */
const isMainSubscription =
  (prefixes: readonly string[]) =>
  (options: SubscribeOptions): boolean =>
    options.prefixes === prefixes && options.upTo === undefined;

export interface LimitedLog {
  readonly store: EventStore;
  /** Lets events up to this position pass. A lower position than before has no effect. */
  raiseLimit(to: bigint): void;
  /** Sets the position, also to a lower one: later events wait again. */
  setLimit(to: bigint): void;
  /** Position of the last event that passed; undefined before the first. */
  readonly lastPassed: bigint | undefined;
  /** Whether the main subscription has begun. */
  readonly isFollowed: boolean;
  /** Position of the event that waits to pass; undefined while none does. */
  readonly waitingAt: bigint | undefined;
}

/**
 * Returns a log whose main subscription of `prefixes` waits at a position until that is raised. Other subscriptions are
 * not limited.
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

  /** Waits until the event may pass. Returns false when the signal aborts. */
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

/** Called once with the position of the last event, or undefined when there was none. */
type OnEnd = (last: bigint | undefined) => void;

/**
 * Returns a log whose main subscription of `prefixes` ends at a position: after it nothing arrives until the signal
 * aborts. Other subscriptions read the whole log, because the repair of a build needs it.
 */
export const endLogAt = (
  store: EventStore,
  { prefixes, upTo }: { readonly prefixes: readonly string[]; readonly upTo: bigint },
  onEnd: OnEnd,
): EventStore => {
  async function* bounded(options: SubscribeOptions) {
    let last: bigint | undefined;
    for await (const followed of store.subscribe(options)) {
      if (followed.kind === 'caught-up' || followed.event.position > upTo) break;
      last = followed.event.position;
      yield followed;
    }
    if (options.signal.aborted) return;
    yield { kind: 'caught-up' as const };
    onEnd(last);
    await new Promise<void>((resolve) => {
      if (options.signal.aborted) resolve();
      else options.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  const isBounded = isMainSubscription(prefixes);
  return { ...store, subscribe: (options) => (isBounded(options) ? bounded(options) : store.subscribe(options)) };
};
