import { setTimeout as sleep } from 'node:timers/promises';

/** Waits before a refusal is sent. Ends early if the caller leaves. */
export type PauseRefusal = (signal: AbortSignal) => Promise<void>;

const pauseMs = 1_000;
/** Number of refusals that may be paused at a time. Further ones are sent at once: each paused request counts as in flight. */
const maxPaused = 64;

/** Creates a pause for refusals, so that a caller cannot repeat a refused request at once. */
export const createRefusalPause = (): PauseRefusal => {
  let paused = 0;
  return async (signal) => {
    if (paused >= maxPaused) return;
    paused += 1;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    paused -= 1;
  };
};
