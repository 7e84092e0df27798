/** What ends a query early: its deadline, or the caller's leaving. */
export interface Stopper {
  readonly signal: AbortSignal;
  /** What is to be done then, also when it is too late already. */
  readonly close: (end: () => void) => void;
  /** The query is over: nothing waits for it any more. */
  readonly done: () => void;
}

/** One timer and one listener a query, both gone with it: there are thousands of queries within one deadline. */
export const stopper = (seconds: number, caller: AbortSignal | undefined): Stopper => {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => controller.abort();
  const timer = setTimeout(stop, seconds * 1000).unref();
  if (caller?.aborted) stop();
  caller?.addEventListener('abort', stop, { once: true });
  return {
    signal,
    close(end) {
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    },
    done() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
  };
};
