import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../telemetry/index.ts';
import { LeaseHeldElsewhere } from './leased-subscription.ts';

const [firstPauseMs, longestPauseMs, turnMs] = [100, 5_000, 1_000];
/** Who ran for so long was well again. */
const wellAfterMs = 10_000;
/** The first ones are told, then about one a minute. */
const isTold = (failures: number) => failures < 3 || failures % 12 === 0;

/**
 * Runs it again whenever it fails, until the signal, with pauses that double up to five seconds and jitter, so that a server
 * which comes back is not met by everybody at once.
 */
export const keepGoing = async (
  { what, log, signal }: { what: string; log: Log; signal: AbortSignal },
  run: () => Promise<void>,
): Promise<void> => {
  const isOver = () => signal.aborted;
  for (let failures = 0; !isOver(); failures += 1) {
    const beganAt = performance.now();
    let pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 10));
    try {
      await run();
    } catch (err) {
      if (isOver()) return;
      if (err instanceof LeaseHeldElsewhere) {
        failures = -1;
        pauseMs = turnMs;
      } else {
        if (performance.now() - beganAt > wellAfterMs) failures = 0;
        if (isTold(failures)) log.warn({ err, what, failures }, 'the bus was interrupted; it goes on by itself');
      }
    }
    if (!isOver()) await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
  }
};
