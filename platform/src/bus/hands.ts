import { createBell } from './bell.ts';

/** How much one process has in hand at a time. */
export interface Hands {
  /** At least one and at most so many, as soon as any is free; none once the signal is given. */
  some(most: number): Promise<number>;
  back(many: number): void;
  /** When none is in use. */
  empty(): Promise<void>;
}

export const createHands = (many: number, signal: AbortSignal): Hands => {
  let free = many;
  const freed = createBell(signal);
  let emptied: () => void = () => undefined;
  return {
    async some(most) {
      while (free === 0 && !signal.aborted) await freed.heard();
      if (signal.aborted) return 0;
      const taken = Math.min(free, most);
      free -= taken;
      return taken;
    },
    back(returned) {
      free += returned;
      if (returned > 0) freed.ring();
      if (free === many) emptied();
    },
    empty: () =>
      new Promise((resolve) => {
        emptied = resolve;
        if (free === many) resolve();
      }),
  };
};
