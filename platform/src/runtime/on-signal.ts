/** Calls `stop` once, at the first of the signals. */
export const onProcessSignal = (signals: readonly NodeJS.Signals[], stop: () => void): void => {
  let asked = false;
  const once = () => {
    if (asked) return;
    asked = true;
    stop();
  };
  for (const signal of signals) process.on(signal, once);
};

/** A supervisor's child (STOP_WITH_PARENT=1) holds a pipe on standard input that ends when the supervisor dies. */
export const onParentExit = (env: NodeJS.ProcessEnv, stop: () => void): void => {
  if (env['STOP_WITH_PARENT'] !== '1') return;
  process.stdin.once('end', stop).once('error', stop).resume();
};
