import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of the bench's own, which answers one question at a time. */
export interface ChildProcess {
  readonly pid: number;
  request<Told>(question: unknown): Promise<Told>;
  stop(): Promise<void>;
}

export const startChildProcess = (entry: URL): ChildProcess => {
  const child = fork(entry, { serialization: 'advanced' });
  const ended = once(child, 'exit');
  return {
    pid: child.pid!,
    async request<Told>(question: unknown) {
      child.send(question as object);
      const dead = ended.then(() => {
        throw new Error(`${entry.pathname} ended before it answered`);
      });
      const [answer] = (await Promise.race([once(child, 'message'), dead])) as [{ told?: Told; error?: string }];
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.told as Told;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // It ends by itself then, and so may write what it has to.
      child.disconnect();
      await ended;
    },
  };
};

/** The worker's side; it ends with the process that started it. */
export const handleRequests = (how: (question: never) => Promise<unknown>): void => {
  process.on('message', (question) => {
    how(question as never).then(
      (told) => process.send?.({ told }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : 'failed' }),
    );
  });
  process.on('disconnect', () => process.exit(0));
};
