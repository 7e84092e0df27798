/**
 * Where a process kills itself as `kill -9` would, for tests of what it leaves behind: `POPSVC_FAIL_POINT=after-insert:3` at the
 * third time it comes to the step `after-insert`; without a number at the first. `coffee/after-insert:3` counts the times of one
 * projection alone, as `intake/after-append:3` those of the intake. Several with commas. Off unless it is set.
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

/** Says that the process has come to a step, and for which part; it does not return when it is to end there. */
export const reachFailPoint = (step: string, part: string): void => {
  if (counters.size === 0) return;
  count(step);
  count(`${part}/${step}`);
};
