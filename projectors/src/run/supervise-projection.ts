import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseLost } from './final.ts';
import type { Projection } from './projection.ts';
import { runIncarnation, type RunnerParts } from './run-projection.ts';

const longestPauseMs = 30_000;

/** Pauses double up to half a minute, with jitter, so that a store which comes back is not met by everybody at once. */
const pauseMs = (failures: number): number =>
  Math.min(longestPauseMs, 250 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

export interface ProjectionState {
  state: 'starting' | 'running' | 'waiting' | 'failing';
  error: string | undefined;
}

/** Runs a projection for as long as the signal allows: an incarnation that fails is followed by another. */
export const superviseProjection = async (
  parts: RunnerParts,
  projection: Projection,
  generation: number,
  signal: AbortSignal,
  state: ProjectionState,
): Promise<void> => {
  let failures = 0;
  const onBatch: RunnerParts['onBatch'] = (which, batch) => {
    failures = 0;
    state.state = 'running';
    state.error = undefined;
    parts.onBatch?.(which, batch);
  };
  const isOver = () => signal.aborted;
  while (!isOver()) {
    try {
      await runIncarnation({ ...parts, onBatch }, projection, generation, signal);
    } catch (error) {
      if (isOver()) return;
      const isWaiting = error instanceof LeaseLost;
      state.state = isWaiting ? 'waiting' : 'failing';
      state.error = error instanceof Error ? error.message : String(error);
      parts.log[isWaiting ? 'info' : 'warn'](
        { err: error, projection: projection.name },
        'a projection stopped; it starts again',
      );
      await sleep(isWaiting ? 1_000 : pauseMs(failures), undefined, { signal }).catch(() => undefined);
      failures += 1;
    }
  }
};
