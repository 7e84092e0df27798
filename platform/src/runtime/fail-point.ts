/**
 * Crash points for tests. With `POPSVC_FAIL_POINT=after-insert:3`, SIGKILL ends the process at the third step `after-insert`;
 * `coffee/after-insert:3` counts only the steps of the component `coffee`.
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

export const reachFailPoint = (step: string, part: string): void => {
  if (counters.size === 0) return;
  count(step);
  count(`${part}/${step}`);
};
