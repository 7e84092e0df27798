import type { Holding, ProcessName } from './processes.ts';

export interface Sample {
  readonly atMs: number;
  readonly bytes: number;
  readonly handles: number;
  readonly threads: number;
}

/** Of a part from its start to its end, as far as it was looked at. */
export interface Life {
  readonly part: ProcessName;
  readonly samples: readonly Sample[];
}

export interface Lives {
  note(atMs: number, holdings: readonly Holding[]): void;
  /** By part the longest. */
  longest(): readonly Life[];
  /** How many lives each part had. */
  readonly counts: ReadonlyMap<ProcessName, number>;
  /** The most memory that each part ever had, bytes. */
  readonly most: ReadonlyMap<ProcessName, number>;
}

const lengthOf = ({ samples }: Life) => (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0);

/** Keeps what was seen of processes, by part and life: a life ends with its process. */
export const openLives = (): Lives => {
  const lives = new Map<string, { part: ProcessName; samples: Sample[] }>();
  const counts = new Map<ProcessName, number>();
  const most = new Map<ProcessName, number>();
  return {
    counts,
    most,
    note(atMs, holdings) {
      for (const { part, pid, bytes, handles, threads } of holdings) {
        const key = `${part} ${pid}`;
        const life = lives.get(key) ?? { part, samples: [] };
        if (!lives.has(key)) {
          lives.set(key, life);
          counts.set(part, (counts.get(part) ?? 0) + 1);
        }
        life.samples.push({ atMs, bytes, handles, threads });
        most.set(part, Math.max(most.get(part) ?? 0, bytes));
      }
    },
    longest() {
      const byPart = new Map<ProcessName, Life>();
      for (const life of lives.values()) {
        const longest = byPart.get(life.part);
        if (!longest || lengthOf(life) > lengthOf(longest)) byPart.set(life.part, life);
      }
      return [...byPart.values()];
    },
  };
};
