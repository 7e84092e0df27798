import { schedule as cron } from 'node-cron';
import type { Log } from './log.ts';

export interface Schedule {
  stop(): Promise<void>;
}

/** Runs the work at the times of a cron expression (UTC), one run at a time; a failure is logged and the next run comes. */
export const schedule = (name: string, expression: string, work: () => Promise<unknown>, log: Log): Schedule => {
  const task = cron(
    expression,
    async () => {
      try {
        await work();
      } catch (err) {
        log.error({ err, schedule: name }, 'a scheduled run failed');
      }
    },
    { name, timezone: 'Etc/UTC', noOverlap: true },
  );
  return {
    async stop() {
      await task.destroy();
    },
  };
};
