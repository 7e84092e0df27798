export interface Signal {
  notify(): void;
  /**
   * Resolves at the next `notify`, or after `ms` milliseconds. If `notify` finds nothing that waits, the next `wait` resolves at
   * once.
   */
  wait(ms?: number): Promise<void>;
}

/** Creates a signal whose `notify` wakes all waiters. After the abort signal has fired, `wait` always resolves at once. */
export const createSignal = (signal: AbortSignal): Signal => {
  const waiting = new Set<() => void>();
  let isPending = false;
  const notify = () => {
    isPending = waiting.size === 0;
    for (const wake of waiting) wake();
    waiting.clear();
  };
  signal.addEventListener('abort', notify, { once: true });
  return {
    notify,
    wait: (ms) =>
      new Promise((resolve) => {
        if (isPending || signal.aborted) {
          isPending = false;
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
