import type { SupervisedProcess, ProcessLine } from '../supervisor/index.ts';

/** The parts that run, and how they are told of and stopped. */
export interface ProcessGroup {
  /** Remembers a part once it runs, so that it is stopped with the house. */
  add<Kept extends SupervisedProcess>(starting: Promise<Kept>): Promise<Kept>;
  readonly printLine: (line: ProcessLine) => void;
  /** Resolves with the reason when a part could not be kept alive. */
  readonly failed: Promise<string>;
  /** Services first, all at once, then the engines: what a part needs outlives it. */
  stop(): Promise<void>;
}

const engines: ReadonlySet<string> = new Set(['event-store', 'clickhouse', 'postgres']);

export const createProcessGroup = (write: (text: string) => void): ProcessGroup => {
  const parts: SupervisedProcess[] = [];
  let tellBroken: (reason: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => (tellBroken = resolve));
  const stopAll = (kept: readonly SupervisedProcess[]) => Promise.allSettled(kept.map((part) => part.stop()));
  return {
    failed: broken,
    async add(starting) {
      const part = await starting;
      parts.push(part);
      void part.ended.then((end) => {
        if (!end.requested) tellBroken(end.reason);
      });
      return part;
    },
    printLine: ({ name: source, text }) => write(`[${source}] ${text}\n`),
    async stop() {
      await stopAll(parts.filter(({ name }) => !engines.has(name)));
      await stopAll(parts.filter(({ name }) => engines.has(name)));
    },
  };
};
