import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@popsvc/platform/telemetry';
import { LeaseLost } from '../final.ts';

/** Pauses double, with jitter, so that a store which comes back is not met by everybody at once. */
const pauseMs = (failures: number, longestPauseMs: number): number =>
  Math.min(longestPauseMs, 250 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

export interface RunState {
  state: 'starting' | 'running' | 'waiting' | 'failing';
  error: string | undefined;
}

export interface SupervisedRun {
  readonly name: string;
  readonly log: Log;
  readonly state: RunState;
  /** Between two tries. */
  readonly longestPauseMs?: number;
}

/** Runs a projection for as long as the signal allows: an incarnation that fails is followed by another. It tells of progress. */
export const superviseRuns = async (
  { name, log, state, longestPauseMs = 30_000 }: SupervisedRun,
  incarnation: (onProgress: () => void) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  const onProgress = () => {
    failures = 0;
    state.state = 'running';
    state.error = undefined;
  };
  const isOver = () => signal.aborted;
  while (!isOver()) {
    try {
      await incarnation(onProgress);
    } catch (error) {
      if (isOver()) return;
      const isWaiting = error instanceof LeaseLost;
      state.state = isWaiting ? 'waiting' : 'failing';
      state.error = error instanceof Error ? error.message : String(error);
      log[isWaiting ? 'info' : 'warn']({ err: error, projection: name }, 'a projection stopped; it starts again');
      await sleep(isWaiting ? 1_000 : pauseMs(failures, longestPauseMs), undefined, { signal }).catch(() => undefined);
      // Who has waited for hours is to be there at once when it is its turn, also after an error on the way.
      failures = isWaiting ? 0 : failures + 1;
    }
  }
};
