/** Clean-up functions of what the run has started: engines, processes, temporary folders. */
const closers: (() => Promise<void>)[] = [];
let ending: Promise<void> | undefined;

export const isRunEnding = (): boolean => ending !== undefined;

/** Registers a clean-up function. `endRun` runs them all, the newest first. */
export const whenRunEnds = (close: () => Promise<void>): void => void closers.push(close);

/** Runs the clean-up functions once; later calls return the same promise. A signal to end the process calls it, too. */
export const endRun = (): Promise<void> => (ending ??= closeAll());

const closeAll = async (): Promise<void> => {
  for (let close = closers.pop(); close; close = closers.pop()) await close();
};

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void endRun().finally(() => process.exit(code)));
