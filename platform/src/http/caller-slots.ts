import { ApiError } from '@popsvc/contracts/errors';
import type { Principal } from '../auth/access.ts';

/** Returns the key that identifies a caller in limits and logs. It contains no secret. */
export const callerKey = (principal: Principal | undefined): string => {
  if (principal?.kind === 'api-key') return `key ${principal.keyId}`;
  return principal?.kind === 'client' ? `client ${principal.clientId}` : 'operator';
};

/** Limits on work that runs for long, such as downloads and uploads. */
export interface SlotLimits {
  readonly perCaller: number;
  readonly total: number;
}

/** Takes a slot for a caller. The returned function releases the slot; calling it again has no effect. */
export type AcquireSlot = (caller: string) => () => void;

const retryAfterSeconds = 5;

/**
 * Limits how many pieces of work run at a time, for each caller and in total. `work` names them in messages, such as `downloads`.
 * Throws RATE_LIMITED if the caller has too many, UNAVAILABLE if all callers together have too many.
 */
export const createCallerSlots = ({ perCaller, total }: SlotLimits, work: string): AcquireSlot => {
  const byCaller = new Map<string, number>();
  let running = 0;
  return (caller) => {
    const own = byCaller.get(caller) ?? 0;
    if (own >= perCaller)
      throw new ApiError('RATE_LIMITED', `At most ${perCaller} ${work} are allowed at a time.`, { retryAfterSeconds });
    if (running >= total)
      throw new ApiError('UNAVAILABLE', `Too many ${work} are running. Retry later.`, { retryAfterSeconds });
    byCaller.set(caller, own + 1);
    running += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      running -= 1;
      const rest = (byCaller.get(caller) ?? 1) - 1;
      if (rest > 0) byCaller.set(caller, rest);
      else byCaller.delete(caller);
    };
  };
};
