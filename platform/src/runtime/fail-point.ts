/**
 * Crash points for tests, set by `POPSVC_FAIL_POINT`. `after-insert:3` kills the process with SIGKILL at the third time it
 * reaches the step `after-insert`; without a number, at the first time. `coffee/after-insert:3` counts only one component, here a
 * projection. Several are separated by commas. Off by default.
 */
const counters = new Map(
  (process.env['POPSVC_FAIL_POINT'] ?? '')
    .split(',')
    .filter((text) => text !== '')
    .map((text) => {
      const [step = '', times = '1'] = text.split(':');
      return [step.trim(), Number(times)] as const;
    }),
);

const count = (step: string): void => {
  const left = counters.get(step);
  if (left === undefined) return;
  if (left <= 1) process.kill(process.pid, 'SIGKILL');
  counters.set(step, left - 1);
};

/** Reports that a component reached a step. Does not return if a crash point is set there. */
export const reachFailPoint = (step: string, part: string): void => {
  if (counters.size === 0) return;
  count(step);
  count(`${part}/${step}`);
};
