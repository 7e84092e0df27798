/** What is to be taken away when the last suite is over. */
const closers: (() => Promise<void>)[] = [];
let ending: Promise<void> | undefined;

export const isRunEnding = (): boolean => ending !== undefined;

/** Runs when the last suite is over, the newest first, and also when the run is interrupted. */
export const whenRunEnds = (close: () => Promise<void>): void => void closers.push(close);

/** Once, whoever asks first: the end of the last suite or a signal. */
export const endRun = (): Promise<void> => (ending ??= closeAll());

const closeAll = async (): Promise<void> => {
  for (let close = closers.pop(); close; close = closers.pop()) await close();
};

// Mocha alone, without the runner, ends with its own last suite: a hook of the whole run, since this is loaded while a spec is.
// A program that has no suites ends its run itself.
if (process.send === undefined && 'after' in globalThis)
  after('engines and folders of the run', async function () {
    this.timeout(60_000);
    await endRun();
  });
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void endRun().finally(() => process.exit(code)));
