import sonicBoom from 'sonic-boom';

/** Where the logs of this process go: asynchronous, so that a slow reader of the log never holds up a request. */
export interface StandardOutput {
  write(line: string): void;
  /** When all of it is written, or cannot be soon: nobody reads, or too slowly. */
  written(): Promise<void>;
}

const patienceMs = 2_000;

/**
 * Not by way of pino, which writes what is left while the process exits: with nobody at the other end it would try for ever,
 * and a service whose parent was killed would never be gone.
 */
const open = (): StandardOutput => {
  const stream = new sonicBoom.SonicBoom({ fd: 1, sync: false });
  let state: 'idle' | 'writing' | 'broken' = 'idle';
  stream.on('drain', () => (state = 'idle'));
  stream.on('error', () => (state = 'broken'));
  return {
    write(line) {
      if (state === 'broken') return;
      state = 'writing';
      stream.write(line);
    },
    written: () =>
      new Promise((resolve) => {
        if (state !== 'writing') resolve();
        stream.once('drain', resolve).once('error', () => {
          resolve();
        });
        setTimeout(resolve, patienceMs).unref();
      }),
  };
};

let opened: StandardOutput | undefined;

export const standardOutput = (): StandardOutput => (opened ??= open());
