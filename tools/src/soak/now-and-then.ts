import { setTimeout as sleep } from 'node:timers/promises';

export interface Doing {
  /** Ends it once what is under way is done. */
  stop(): Promise<void>;
}

/** Does it again and again; the pause may depend on what was done. Several may be under way, up to `most`, who then wait. */
export const again = (work: () => { readonly pauseMs: number; readonly done: Promise<unknown> }, most = 1): Doing => {
  const end = new AbortController();
  const open = new Set<Promise<unknown>>();
  const doing = (async () => {
    while (!end.signal.aborted) {
      const began = performance.now();
      const { pauseMs, done } = work();
      const kept = done.finally(() => open.delete(kept));
      open.add(kept);
      if (open.size >= most) await Promise.race(open);
      const left = pauseMs - (performance.now() - began);
      await sleep(Math.max(0, left), undefined, { signal: end.signal }).catch(() => undefined);
    }
    await Promise.all(open);
  })();
  // Told to whoever stops it.
  doing.catch(() => undefined);
  return {
    async stop() {
      end.abort();
      await doing;
    },
  };
};
