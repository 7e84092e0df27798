/** Calls after the first have no effect. */
export type EndTurn = () => void;

export interface FairTurns<Holder> {
  /** Resolves when the turn begins, with the function that ends it. Rejects if the signal aborts earlier. */
  take(holder: Holder, signal?: AbortSignal): Promise<EndTurn>;
}

/** Limits how many turns run at a time. The next turn goes to the waiting holder with the fewest running turns. */
export const createFairTurns = <Holder>(maxRunning: number): FairTurns<Holder> => {
  const runningOf = new Map<Holder, number>();
  const waiting = new Map<Holder, readonly (() => void)[]>();
  let running = 0;
  const countOf = (holder: Holder) => runningOf.get(holder) ?? 0;

  const beginNext = (): void => {
    while (running < maxRunning && waiting.size > 0) {
      const [holder, [begin, ...later]] = [...waiting].reduce((one, other) =>
        countOf(other[0]) < countOf(one[0]) ? other : one,
      );
      waiting.delete(holder);
      if (later.length > 0) waiting.set(holder, later);
      running += 1;
      runningOf.set(holder, countOf(holder) + 1);
      begin!();
    }
  };
  const end = (holder: Holder): void => {
    running -= 1;
    const rest = countOf(holder) - 1;
    if (rest > 0) runningOf.set(holder, rest);
    else runningOf.delete(holder);
    beginNext();
  };

  return {
    async take(holder, signal) {
      signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const begin = () => {
          signal?.removeEventListener('abort', leave);
          let isEnded = false;
          resolve(() => {
            if (!isEnded) end(holder);
            isEnded = true;
          });
        };
        const leave = () => {
          const others = (waiting.get(holder) ?? []).filter((call) => call !== begin);
          if (others.length > 0) waiting.set(holder, others);
          else waiting.delete(holder);
          reject(signal!.reason as Error);
        };
        signal?.addEventListener('abort', leave, { once: true });
        waiting.set(holder, [...(waiting.get(holder) ?? []), begin]);
        beginNext();
      });
    },
  };
};
