export interface Signal {
  notify(): void;
  /** Until it rings, or so many milliseconds. A ring that nobody waited for is heard by the next who does. */
  wait(ms?: number): Promise<void>;
}

/** Wakes everybody who waits; once the signal is given it never stops ringing. */
export const createSignal = (signal: AbortSignal): Signal => {
  const waiting = new Set<() => void>();
  let missed = false;
  const ring = () => {
    missed = waiting.size === 0;
    for (const wake of waiting) wake();
    waiting.clear();
  };
  signal.addEventListener('abort', ring, { once: true });
  return {
    notify: ring,
    wait: (ms) =>
      new Promise((resolve) => {
        if (missed || signal.aborted) {
          missed = false;
          resolve();
          return;
        }
        const timer = ms === undefined ? undefined : setTimeout(wake, ms);
        function wake() {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        }
        waiting.add(wake);
      }),
  };
};
