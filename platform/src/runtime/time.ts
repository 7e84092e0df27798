import { schedule as cron } from 'node-cron';
import type { Log } from '../telemetry/log.ts';

/** A source of time in ms since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Rejects with DeadlineExceeded after `ms` milliseconds, but does not cancel the work. */
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

/** In ms. The random part prevents all processes from returning to a recovering server at once. */
export const pauseAfter = (failures: number, { firstMs, longestMs }: BackOff): number =>
  Math.min(longestMs, firstMs * 2 ** failures) * (0.5 + Math.random() / 2);

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

/** Runs `work` on the schedule of a cron expression in UTC. Skips a run while the last one has not ended; logs a failed run. */
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
