import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A child process that answers one request at a time. */
export interface Worker {
  readonly pid: number;
  request<Response>(message: unknown): Promise<Response>;
  stop(): Promise<void>;
}

type Reply = { readonly result: unknown } | { readonly error: string };

export const startWorker = (entry: URL): Worker => {
  const child = fork(entry, { serialization: 'advanced' });
  const exited = once(child, 'exit');
  return {
    pid: child.pid!,
    async request<Response>(message: unknown) {
      child.send(message as object);
      const failed = exited.then(() => {
        throw new Error(`${entry.pathname} exited before it replied`);
      });
      const [reply] = (await Promise.race([once(child, 'message'), failed])) as [Reply];
      if ('error' in reply) throw new Error(reply.error);
      return reply.result as Response;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // Disconnects the worker instead of killing it, so it can write its CPU profile before it exits.
      child.disconnect();
      await exited;
    },
  };
};

/** Answers requests from the process that started this worker. The worker exits when that process disconnects or exits. */
export const serveRequests = (handle: (message: never) => Promise<unknown>): void => {
  process.on('message', (message) => {
    handle(message as never).then(
      (result) => process.send?.({ result } satisfies Reply),
      (error: unknown) =>
        process.send?.({
          error: error instanceof Error ? (error.stack ?? error.message) : 'failed',
        } satisfies Reply),
    );
  });
  process.on('disconnect', () => process.exit(0));
};
