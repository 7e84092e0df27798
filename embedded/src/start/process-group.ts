import type { ProcessLine } from '../supervisor/child-process.ts';
import type { SupervisedProcess } from '../supervisor/supervised-process.ts';

export interface ProcessGroup {
  /** The signal aborts when the group stops; `start` must then end the process and reject. */
  add<T extends SupervisedProcess>(start: (signal: AbortSignal) => Promise<T>): Promise<T>;
  readonly printLine: (line: ProcessLine) => void;
  readonly failed: Promise<string>;
  /** Stops the engines last, because the services depend on them. */
  stop(): Promise<void>;
}

/** The sum must be below the 10 s within which `npm start` ends. A kill loses nothing that was acknowledged. */
export const stopTimeoutsMs = { service: 5_000, engine: 4_000 } as const;

/** A service prints this line for its parent process when it begins to stop. */
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
      // Some services may have become ready while the others stopped.
      await stopServices();
      await stopAll(processes.filter(({ name }) => engines.has(name)));
    },
  };
};
