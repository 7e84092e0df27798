import { setTimeout as sleep } from 'node:timers/promises';

/** An answer that is believed for a while; those who need it at the same time share one question. */
export interface Remembered<T> {
  /** At most so old. */
  readonly within: (maxAgeMs: number) => Promise<T>;
  /** Asked for after this call. It may wait for a moment, so that many calls do not become many questions. */
  readonly fresh: () => Promise<T>;
  readonly forget: () => void;
}

/** Least time between two questions of `fresh`. */
const restMs = 100;

export const remembered = <T>(ask: () => Promise<T>): Remembered<T> => {
  let [answer, at]: [Promise<T> | undefined, number] = [undefined, -Infinity];
  let next: Promise<T> | undefined;
  const askNow = () => {
    const asking = ask();
    [answer, at] = [asking, performance.now()];
    asking.catch(() => {
      if (answer === asking) answer = undefined;
    });
    return asking;
  };
  const askAfterRest = async () => {
    await sleep(Math.max(0, at + restMs - performance.now()));
    next = undefined;
    return askNow();
  };
  return {
    within: (maxAgeMs) => (answer && performance.now() - at < maxAgeMs ? answer : askNow()),
    fresh: () => (next ??= askAfterRest()),
    forget() {
      answer = undefined;
    },
  };
};
