import { setTimeout as sleep } from 'node:timers/promises';
import type { WholeService } from '../testbed/whole-service.ts';
import { play } from './plays.ts';

export interface Pace {
  readonly everyMs: number;
  readonly plays: number;
}

/** Plays of others, so that the projection has something else to do; ends with the signal. */
export const trickle = async ({ push }: WholeService, { everyMs, plays }: Pace, signal: AbortSignal): Promise<void> => {
  for (let index = 0; !signal.aborted; index += plays) {
    await push(Array.from({ length: plays }, (_, at) => play(index + at)));
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
};
