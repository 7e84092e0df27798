import { schedule as cron } from 'node-cron';
import type { Log } from '../telemetry/log.ts';

/** What the scheduler itself has to say, such as that the process was stopped at the time of a run, is logged as all else is. */
const saying = (log: Log, schedule: string) => ({
  debug: (message: string | Error) => log.debug({ schedule }, String(message)),
  info: (message: string) => log.info({ schedule }, message),
  warn: (message: string) => log.warn({ schedule }, message),
  error: (message: string | Error, err?: Error) => log.error({ schedule, err }, String(message)),
});

export interface Schedule {
  stop(): Promise<void>;
}

/** Runs the work at the times of a cron expression (UTC), one run at a time; a failure is logged and the next run comes. */
export const startSchedule = (name: string, expression: string, work: () => Promise<unknown>, log: Log): Schedule => {
  const task = cron(
    expression,
    async () => {
      try {
        await work();
      } catch (err) {
        log.error({ err, schedule: name }, 'a scheduled run failed');
      }
    },
    { name, timezone: 'Etc/UTC', noOverlap: true, logger: saying(log, name) },
  );
  return {
    async stop() {
      await task.destroy();
    },
  };
};
