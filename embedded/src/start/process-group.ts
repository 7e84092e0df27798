import type { ProcessLine } from '../supervisor/child-process.ts';
import type { SupervisedProcess } from '../supervisor/supervised-process.ts';

/** The processes that `npm start` runs: the engines and the services that use them. */
export interface ProcessGroup {
  /** Waits until a process has started, adds it to the group and returns it. */
  add<T extends SupervisedProcess>(starting: Promise<T>): Promise<T>;
  readonly printLine: (line: ProcessLine) => void;
  /** Resolves with the reason when the supervisor gives up on a process. */
  readonly failed: Promise<string>;
  /** Stops all services concurrently, then the engines that the services depend on. */
  stop(): Promise<void>;
}

/** Line that a service prints when it begins to stop. It is meant for the parent process, so it is hidden from operators. */
const stoppingLine = '{"ready":false}';

const engines: ReadonlySet<string> = new Set(['event-store', 'clickhouse', 'postgres']);

export const createProcessGroup = (write: (text: string) => void): ProcessGroup => {
  const processes: SupervisedProcess[] = [];
  let reportFailure: (reason: string) => void = () => undefined;
  const failed = new Promise<string>((resolve) => (reportFailure = resolve));
  const stopAll = (some: readonly SupervisedProcess[]) => Promise.allSettled(some.map((one) => one.stop()));
  return {
    failed,
    async add(starting) {
      const started = await starting;
      processes.push(started);
      void started.ended.then((end) => {
        if (!end.requested) reportFailure(end.reason);
      });
      return started;
    },
    printLine: ({ name: source, from, text }) => {
      if (from !== 'stdout' || text !== stoppingLine) write(`[${source}] ${text}\n`);
    },
    async stop() {
      await stopAll(processes.filter(({ name }) => !engines.has(name)));
      await stopAll(processes.filter(({ name }) => engines.has(name)));
    },
  };
};
