import type { EventStore, SubscribeOptions } from '@popsvc/platform/event-store';

/** Something that changes now and then, for whoever waits until it stands as they need it. */
interface Condition {
  notify(): void;
  /** Resolves with the signal, too. */
  waitUntil(holds: () => boolean, signal: AbortSignal): Promise<void>;
}

export const createCondition = (): Condition => {
  const looks = new Set<() => void>();
  const moved = () => {
    for (const look of [...looks]) look();
  };
  return {
    notify: moved,
    waitUntil: (holds, signal) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds() && !signal.aborted) return;
          looks.delete(look);
          signal.removeEventListener('abort', look);
          resolve();
        };
        looks.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
  };
};

/** Whether it is `prefixes`, the very list, that is followed, and on and on: who says where to end is held up by nobody. */
const isMainSubscription =
  (prefixes: readonly string[]) =>
  (asked: SubscribeOptions): boolean =>
    asked.prefixes === prefixes && asked.upTo === undefined;

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

/** Told once, with the position of the last event that was passed on; undefined when there was none. */
type OnEnd = (last: bigint | undefined) => void;

/**
 * The log as if it ended at a position, for who follows `prefixes`, the very list, without an end of his own: past the end nothing
 * comes until the signal. What else follows the log sees all of it, as who mends a part of a build must.
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
