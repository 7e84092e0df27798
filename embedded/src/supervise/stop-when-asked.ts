/**
 * The child's side of the contract `STOP_WITH_PARENT=1`: standard input is a pipe from the parent, and its end means
 * that the parent is gone, however it died. Signals ask for the same stop. The stop runs once, whoever asks first.
 */
export const stopWhenAsked = (stop: (why: string) => void): void => {
  let asked = false;
  const once = (why: string) => (): void => {
    if (asked) return;
    asked = true;
    stop(why);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, once(signal));
  if (process.env['STOP_WITH_PARENT'] !== '1') return;
  for (const event of ['end', 'close', 'error'] as const) process.stdin.once(event, once('the parent is gone'));
  process.stdin.resume();
};
