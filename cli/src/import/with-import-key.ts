import type { OpsClient } from '../service-client/ops-client.ts';
import { type Sender, withTemporaryKey } from '../service-client/temporary-credentials.ts';

const keyLifetimeMs = 60 * 60_000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Revokes the key even after an error or a signal. A second signal ends the process at once; the key then expires within an hour. */
export const withImportKey = async <T>(
  ops: OpsClient,
  sender: Sender,
  work: (apiKey: string) => Promise<T>,
): Promise<T> => {
  let received: NodeJS.Signals | undefined;
  let failWork = (_: Error): void => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    failWork = reject;
  });
  // Without this handler, a signal that arrives before the key exists would cause an unhandled rejection.
  interrupted.catch(() => undefined);
  const interrupt = (signal: NodeJS.Signals) => {
    received = signal;
    removeHandlers();
    failWork(new Error(`interrupted by ${signal}`));
  };
  const removeHandlers = () => {
    for (const signal of signals) process.off(signal, interrupt);
  };
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await withTemporaryKey(ops, sender, { name: 'import', lifetimeMs: keyLifetimeMs }, (apiKey) =>
      Promise.race([interrupted, work(apiKey)]),
    );
  } finally {
    removeHandlers();
    // End the process with the same signal, as shells expect.
    if (received) process.kill(process.pid, received);
  }
};
