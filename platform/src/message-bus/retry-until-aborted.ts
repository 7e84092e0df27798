import { setTimeout as sleep } from 'node:timers/promises';
import { pauseAfter } from '../runtime/index.ts';
import type { Log } from '../telemetry/index.ts';
import { LeaseHeldElsewhere } from './leased-subscription.ts';

const backOff = { firstMs: 100, longestMs: 5_000 };
const leasePoll = { firstMs: 1_000, longestMs: 1_000 };
/** If a run fails after more than this many ms, earlier failures no longer count. */
const stableAfterMs = 10_000;
/** With pauses of up to five seconds, every twelfth failure is about one log line per minute. */
const isLogged = (failures: number) => failures < 3 || failures % 12 === 0;

/** While a service starts, its stores may be too busy to answer in time. The first failures are therefore logged as information. */
const startFailures = 2;

interface RetriedTask {
  readonly task: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** The npm package `p-retry` is not used: its pauses cannot depend on the error, and a stable run does not reset them. */
export const retryUntilAborted = async (
  { task, log, signal, pause = (ms) => sleep(ms, undefined, { signal }) }: RetriedTask,
  run: () => Promise<void>,
): Promise<void> => {
  const isOver = () => signal.aborted;
  let failures = 0;
  let hasRun = false;
  while (!isOver()) {
    const startedAt = performance.now();
    let pauseMs = pauseAfter(0, backOff);
    try {
      await run();
      failures = 0;
      hasRun = true;
    } catch (err) {
      if (isOver()) return;
      if (err instanceof LeaseHeldElsewhere) {
        failures = 0;
        pauseMs = pauseAfter(0, leasePoll);
      } else {
        if (performance.now() - startedAt > stableAfterMs) {
          failures = 0;
          hasRun = true;
        }
        if (!hasRun && failures < startFailures)
          log.info({ reason: err instanceof Error ? err.message : err, task, failures }, 'task not started; retrying');
        else if (isLogged(failures)) log.warn({ err, task, failures }, 'task failed; retrying');
        pauseMs = pauseAfter(failures, backOff);
        failures += 1;
      }
    }
    if (!isOver()) await pause(pauseMs).catch(() => undefined);
  }
};
