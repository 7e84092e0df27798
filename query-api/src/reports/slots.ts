import { ApiError } from '@popsvc/contracts/errors';
import type { Principal } from '@popsvc/platform/auth';
import { callerName } from './caller-name.ts';

export interface SlotLimits {
  readonly each: number;
  readonly together: number;
}

/** Gives a place back; asking twice is harmless. */
export type Leave = () => void;

const retryAfterSeconds = 5;

/** How many downloads run at a time: for one caller (429) and for all (503). */
export const slots = ({ each, together }: SlotLimits): ((principal: Principal | undefined) => Leave) => {
  const taken = new Map<string, number>();
  let all = 0;
  return (principal) => {
    const who = callerName(principal);
    const own = taken.get(who) ?? 0;
    if (own >= each)
      throw new ApiError('RATE_LIMITED', `At most ${each} downloads may run at a time.`, { retryAfterSeconds });
    if (all >= together)
      throw new ApiError('UNAVAILABLE', 'Too many downloads are running; try again.', { retryAfterSeconds });
    taken.set(who, own + 1);
    all += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      all -= 1;
      const rest = (taken.get(who) ?? 1) - 1;
      if (rest > 0) taken.set(who, rest);
      else taken.delete(who);
    };
  };
};
