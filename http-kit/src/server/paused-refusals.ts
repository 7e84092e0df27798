import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 1_000;
/** Number of refusals that may be paused at a time. Further ones are sent at once: each paused request counts as in flight. */
const maxPaused = 64;

/** Pauses refusals before they are sent, so that a caller cannot repeat a refused request at once. */
export class RefusalPause {
  #paused = 0;

  get isFull(): boolean {
    return this.#paused >= maxPaused;
  }

  /** Waits, unless too many refusals are paused. Ends early if the caller leaves. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.isFull) return;
    this.#paused += 1;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    this.#paused -= 1;
  }
}
