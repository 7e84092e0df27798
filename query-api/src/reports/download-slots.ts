import { ApiError } from '@popsvc/contracts/errors';
import type { Principal } from '@popsvc/platform/auth';

/** Limits on the number of concurrent downloads. */
export interface DownloadLimits {
  readonly perCaller: number;
  readonly total: number;
}

/** Takes a slot for one download of the caller. The returned function releases the slot; calling it again has no effect. */
export type AcquireDownloadSlot = (principal: Principal | undefined) => () => void;

const retryAfterSeconds = 5;

/** Limits concurrent downloads. Throws RATE_LIMITED if the caller has too many, UNAVAILABLE if the service has too many. */
export const createDownloadSlots = ({ perCaller, total }: DownloadLimits): AcquireDownloadSlot => {
  const byCaller = new Map<string, number>();
  let running = 0;
  return (principal) => {
    const caller = callerKey(principal);
    const own = byCaller.get(caller) ?? 0;
    if (own >= perCaller)
      throw new ApiError('RATE_LIMITED', `At most ${perCaller} downloads may run at a time.`, { retryAfterSeconds });
    if (running >= total)
      throw new ApiError('UNAVAILABLE', 'Too many downloads are running. Retry later.', { retryAfterSeconds });
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

/** Returns the key that identifies a caller in limits and logs. It contains no secret. */
export const callerKey = (principal: Principal | undefined): string => {
  if (principal?.kind === 'api-key') return `key ${principal.keyId}`;
  return principal?.kind === 'client' ? `client ${principal.clientId}` : 'operator';
};
