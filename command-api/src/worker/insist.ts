import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';

const backOffMs = { first: 100, most: 5_000 };

/** Does work with the log that may be done twice, again and again until the log answers, or until it is given up. */
export type Insist = <Done>(work: () => Promise<Done>) => Promise<Done>;

export const insistUntil =
  (isGivenUp: () => boolean, log: Log): Insist =>
  async (work) => {
    for (let wait = backOffMs.first; ; wait = Math.min(wait * 2, backOffMs.most))
      try {
        return await work();
      } catch (err) {
        if (!(err instanceof EventStoreUnavailable) || isGivenUp()) throw err;
        log.warn({ err, wait }, 'the log does not answer; trying again');
        await sleep(wait * (0.5 + Math.random() / 2));
      }
  };
