import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaseKey } from '@popsvc/platform/postgres';
import { readLogIdentity } from '../another-log.ts';
import { RetryableReplayError } from './not-now.ts';
import type { ReplayDependencies } from './replay-parts.ts';

const lookEveryMs = 250;
/** One that does not move for so long is not going to get there. */
const standardPatienceMs = 30_000;

type Parts = Pick<ReplayDependencies, 'checkpoints' | 'store' | 'settleTimeoutMs'>;

/** Where a generation stands while its tables hold more than that; undefined where they do not. */
const aheadOf = async ({ checkpoints, store }: Parts, live: LeaseKey): Promise<bigint | undefined> => {
  const [{ position, begun, logId }, here] = await Promise.all([checkpoints.read(live), readLogIdentity(store)]);
  return begun > position && logId === here.logId && begun <= here.head ? position : undefined;
};

export interface SettledCheck {
  /** Throws NotNow where the tables hold more than the generation stands for since. */
  confirm(): Promise<void>;
}

/**
 * Waits until what is live holds no more than it stands for. After ClickHouse was restarted it goes over the last minute of the log
 * again, and after a kill over a batch: meanwhile nothing that is built up to where it stands is what readers have seen. One that
 * stands still, paused or broken, is taken as it is.
 */
export const waitUntilSettled = async (parts: Parts, live: LeaseKey, signal: AbortSignal): Promise<SettledCheck> => {
  const { settleTimeoutMs = standardPatienceMs } = parts;
  let [moved, before] = [performance.now(), -1n];
  for (;;) {
    const at = await aheadOf(parts, live);
    if (at === undefined) break;
    if (at !== before) [moved, before] = [performance.now(), at];
    if (performance.now() - moved > settleTimeoutMs) return { confirm: () => Promise.resolve() };
    await sleep(lookEveryMs, undefined, { signal });
  }
  return {
    async confirm() {
      if ((await aheadOf(parts, live)) !== undefined)
        throw new RetryableReplayError('the live generation goes again over what it has written before');
    },
  };
};
