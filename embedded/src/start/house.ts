import type { Part, PartLine } from '../supervise/index.ts';

/** The parts that run, and how they are told of and stopped. */
export interface House {
  /** Remembers a part once it runs, so that it is stopped with the house. */
  keep<Kept extends Part>(starting: Promise<Kept>): Promise<Kept>;
  readonly tell: (line: PartLine) => void;
  /** Resolves with the reason when a part could not be kept alive. */
  readonly broken: Promise<string>;
  /** Services first, all at once, then the engines: what a part needs outlives it. */
  stop(): Promise<void>;
}

const engines: ReadonlySet<string> = new Set(['event-store', 'clickhouse', 'postgres']);

export const createHouse = (write: (text: string) => void): House => {
  const parts: Part[] = [];
  let tellBroken: (reason: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => (tellBroken = resolve));
  const stopAll = (kept: readonly Part[]) => Promise.allSettled(kept.map((part) => part.stop()));
  return {
    broken,
    async keep(starting) {
      const part = await starting;
      parts.push(part);
      void part.ended.then((end) => {
        if (!end.asked) tellBroken(end.reason);
      });
      return part;
    },
    tell: ({ part, text }) => write(`[${part}] ${text}\n`),
    async stop() {
      await stopAll(parts.filter(({ name }) => !engines.has(name)));
      await stopAll(parts.filter(({ name }) => engines.has(name)));
    },
  };
};
