/** How much one process has in hand at a time. */
export interface Hands {
  /** At least one and at most so many, as soon as any is free, in the order of asking; none once the signal is given. */
  some(most: number): Promise<number>;
  back(many: number): void;
  /** When none is in use. */
  empty(): Promise<void>;
}

export const createHands = (many: number, signal: AbortSignal): Hands => {
  let free = many;
  const asking: (() => void)[] = [];
  let emptied: () => void = () => undefined;
  const next = () => {
    if (free > 0) asking.shift()?.();
  };
  signal.addEventListener(
    'abort',
    () => {
      for (const wake of asking.splice(0)) wake();
    },
    { once: true },
  );
  return {
    some: (most) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve(0);
          return;
        }
        asking.push(() => {
          const taken = signal.aborted ? 0 : Math.min(free, most);
          free -= taken;
          resolve(taken);
          next();
        });
        next();
      }),
    back(returned) {
      free += returned;
      next();
      if (free === many) emptied();
    },
    empty: () =>
      new Promise((resolve) => {
        emptied = resolve;
        if (free === many) resolve();
      }),
  };
};
