/**
 * Crash points for tests, set by `POPSVC_FAIL_POINT`. `after-insert:3` kills the process with SIGKILL when the step
 * `after-insert` is reached for the third time; without a number, when it is first reached. `coffee/after-insert:3` counts only
 * the steps of one component, here the projection `coffee`. Separate several crash points with commas. There are none by default.
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

/** Counts a step of a component. If a crash point names this step and count, kills the process, so that the call does not return. */
export const reachFailPoint = (step: string, part: string): void => {
  if (counters.size === 0) return;
  count(step);
  count(`${part}/${step}`);
};
