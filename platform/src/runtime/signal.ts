export interface Signal {
  notify(): void;
  /** Resolves after `ms` milliseconds, at the next `notify`, or at once after a `notify` for which nothing waited. */
  wait(ms?: number): Promise<void>;
}

/** After the abort signal has fired, `wait` always resolves at once. */
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
