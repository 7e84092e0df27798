import type { SubscriptionItem } from '@popsvc/platform/event-store';
import type { LimitEvents } from '../dependencies.ts';

/** `notify` makes each waiting caller evaluate its predicate again. `waitUntil` also resolves when the signal aborts. */
interface Condition {
  notify(): void;
  waitUntil(holds: () => boolean, signal: AbortSignal): Promise<void>;
}

export const createCondition = (): Condition => {
  const waiters = new Set<() => void>();
  return {
    notify() {
      for (const evaluate of [...waiters]) evaluate();
    },
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

/** Limits how far in the log a run may fold events. Events after the limit wait until it is raised. */
export interface PositionLimit {
  readonly limitEvents: LimitEvents;
  /** A lower position has no effect. */
  raise(to: bigint): void;
  /** If the position is lower than before, events after it wait again. */
  set(to: bigint): void;
  readonly lastPassed: bigint | undefined;
  readonly isFollowed: boolean;
  readonly waitingAt: bigint | undefined;
}

/** At first, all events wait. `onMove` is called when a run begins to read and when an event has to wait. */
export const createPositionLimit = (onMove: () => void = () => undefined): PositionLimit => {
  let upTo = 0n;
  let lastPassed: bigint | undefined;
  let waitingAt: bigint | undefined;
  let isFollowed = false;
  const raised = createCondition();

  const set = (to: bigint) => {
    upTo = to;
    raised.notify();
  };

  const mayPass = async (position: bigint, signal: AbortSignal) => {
    if (position > upTo) {
      waitingAt = position;
      onMove();
      await raised.waitUntil(() => position <= upTo, signal);
    }
    waitingAt = undefined;
    lastPassed = position;
    return !signal.aborted;
  };

  return {
    async *limitEvents(items, signal) {
      isFollowed = true;
      onMove();
      for await (const item of items) {
        if (item.kind === 'event' && !(await mayPass(item.event.position, signal))) return;
        yield item;
      }
    },
    raise(to) {
      if (to > upTo) set(to);
    },
    set,
    get lastPassed() {
      return lastPassed;
    },
    get isFollowed() {
      return isFollowed;
    },
    get waitingAt() {
      return waitingAt;
    },
  };
};

/**
 * After the last event up to `upTo`, sends `caught-up` and calls `onEnd` with the position of that event, or with undefined if there was
 * none.
 */
export const endEventsAt = (upTo: bigint, onEnd: (last: bigint | undefined) => void): LimitEvents =>
  async function* (items, signal): AsyncGenerator<SubscriptionItem> {
    let last: bigint | undefined;
    for await (const item of items) {
      if (item.kind === 'caught-up' || item.event.position > upTo) break;
      last = item.event.position;
      yield item;
    }
    if (signal.aborted) return;
    yield { kind: 'caught-up' };
    onEnd(last);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  };
