import { holdGeneration, type LeaseKey } from '@popsvc/platform/postgres';
import { LeaseLost } from '../final.ts';
import type { ReplayDependencies } from './replay-parts.ts';

/** A hold ends by itself soon after who asked for it died. */
const holdMs = 10_000;
const prolongEveryMs = 2_500;
/** No step is begun in the last seconds of a hold that could not be prolonged. */
const marginMs = 3_000;
/** For so long at most a projection stands still at a time. */
export const maxPauseMs = 60_000;

/** What is to stand still, and the epoch of who asks for it: a hold of a later one is not another's to end. */
export interface PauseRequest extends LeaseKey {
  readonly epoch: bigint;
}

/** Asks for the hold, again and again until its longest time is over. */
export const requestPause = async ({ postgres }: ReplayDependencies, { epoch, ...key }: PauseRequest) => {
  const began = performance.now();
  let until = 0;
  const prolong = async () => {
    const asked = performance.now();
    if (!(await holdGeneration(postgres, key, holdMs, epoch))) throw new LeaseLost('somebody else conducts the replay');
    until = Math.min(asked + holdMs - marginMs, began + maxPauseMs);
  };
  await prolong();
  const timer = setInterval(() => {
    if (performance.now() - began < maxPauseMs) void prolong().catch(() => undefined);
  }, prolongEveryMs);
  return {
    sinceMs: () => Math.round(performance.now() - began),
    isHeld: () => performance.now() < until,
    end: () => clearInterval(timer),
  };
};
