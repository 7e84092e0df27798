import type { ProcessLine } from '../supervisor/child-process.ts';
import type { SupervisedProcess } from '../supervisor/supervised-process.ts';

/** The processes that `npm start` runs: the engines and the services that use them. */
export interface ProcessGroup {
  /**
   * Starts a process, adds it to the group and returns it. The signal aborts when the group stops; `start` then ends the process
   * and rejects.
   */
  add<T extends SupervisedProcess>(start: (signal: AbortSignal) => Promise<T>): Promise<T>;
  readonly printLine: (line: ProcessLine) => void;
  /** Resolves with the reason when the supervisor gives up on a process. */
  readonly failed: Promise<string>;
  /**
   * Stops all services concurrently and waits for processes that are still starting. Then stops the engines, on which the services depend.
   */
  stop(): Promise<void>;
}

/**
 * Time between the stop signal and SIGKILL. The sum is below the 10 s within which `npm start` ends. Killing loses nothing that was
 * acknowledged, because engines store what they acknowledge first.
 */
export const stopTimeoutsMs = { service: 5_000, engine: 4_000 } as const;

/** Line that a service prints when it begins to stop. It is meant for the parent process, so it is hidden from operators. */
const stoppingLine = '{"ready":false}';

const engines: ReadonlySet<string> = new Set(['event-store', 'clickhouse', 'postgres']);

export const createProcessGroup = (write: (text: string) => void): ProcessGroup => {
  const processes: SupervisedProcess[] = [];
  const starts = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  let reportFailure: (reason: string) => void = () => undefined;
  const failed = new Promise<string>((resolve) => (reportFailure = resolve));
  const stopAll = (some: readonly SupervisedProcess[]) => Promise.allSettled(some.map((one) => one.stop()));
  const startAndAdd = async <T extends SupervisedProcess>(start: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const started = await start(stopping.signal);
    processes.push(started);
    void started.ended.then((end) => {
      if (!end.requested) reportFailure(end.reason);
    });
    return started;
  };
  const stopServices = () => stopAll(processes.filter(({ name }) => !engines.has(name)));
  return {
    failed,
    async add(start) {
      stopping.signal.throwIfAborted();
      const adding = startAndAdd(start);
      starts.add(adding);
      return adding.finally(() => starts.delete(adding));
    },
    printLine: ({ name: source, from, text }) => {
      if (from !== 'stdout' || text !== stoppingLine) write(`[${source}] ${text}\n`);
    },
    async stop() {
      stopping.abort();
      await Promise.all([stopServices(), Promise.allSettled(starts)]);
      // Stops the services that became ready while the others stopped.
      await stopServices();
      await stopAll(processes.filter(({ name }) => engines.has(name)));
    },
  };
};
