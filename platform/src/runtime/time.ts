import { schedule as cron } from 'node-cron';
import type { Log } from '../telemetry/log.ts';

/** A source of time in ms since 1970. It is passed as a dependency so that tests can control time. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Thrown if an operation exceeds its deadline. The operation may still complete later. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Settles as `work` does, or rejects with DeadlineExceeded after `ms` milliseconds. The work itself is not cancelled. */
export const withDeadline = async <T>(work: Promise<T>, ms: number, what = 'the work'): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(`${what} took longer than ${Math.round(ms)} ms`)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * Returns the pause after a number of failures in a row (0 or more), in ms. It doubles with each failure, up to `longestMs`. A
 * random part of at most half is subtracted, so that not all processes return to a recovering server at once.
 */
export const pauseAfter = (failures: number, { firstMs, longestMs }: BackOff): number =>
  Math.min(longestMs, firstMs * 2 ** failures) * (0.5 + Math.random() / 2);

/** Creates a logger that passes messages from node-cron, such as a missed execution, to the service's log. */
const createSchedulerLog = (log: Log, schedule: string) => ({
  debug: (detail: string | Error) => log.debug({ schedule, detail: String(detail) }, 'scheduler reported a detail'),
  info: (detail: string) => log.info({ schedule, detail }, 'scheduler reported an event'),
  warn: (detail: string) => log.warn({ schedule, detail }, 'scheduler reported a warning'),
  error: (detail: string | Error, err?: Error) =>
    log.error({ schedule, detail: String(detail), err }, 'scheduler reported an error'),
});

export interface Schedule {
  stop(): Promise<void>;
}

/**
 * Runs `work` on the schedule of a cron expression (in UTC), and skips a run while the last one has not ended. A failed run is
 * logged and does not affect the next run.
 */
export const startSchedule = (name: string, expression: string, work: () => Promise<unknown>, log: Log): Schedule => {
  const task = cron(
    expression,
    async () => {
      try {
        await work();
      } catch (err) {
        log.error({ err, schedule: name }, 'failed to run scheduled work');
      }
    },
    { name, timezone: 'Etc/UTC', noOverlap: true, logger: createSchedulerLog(log, name) },
  );
  return {
    async stop() {
      await task.destroy();
    },
  };
};
