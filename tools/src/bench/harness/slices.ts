import { median, quantile } from '../../rig/statistics.ts';

/** Duration of a slice. Work that cannot be interrupted, such as a whole download, takes as long as it needs. */
export const sliceMs = 400;
export const warmUpMs = 1_500;

/** One measurement of a side: the amount of work and its cost. */
export interface Slice {
  /** Amount of work: number of events, pages or rows. */
  readonly units: number;
  readonly wallMs: number;
  /** User and system CPU time by process name, µs. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** Latency of each request; empty if the slice is a single operation. */
  readonly latenciesMs: readonly number[];
}

/** The system, or a baseline that it is compared with. */
export interface Side {
  readonly name: string;
  slice(): Promise<Slice>;
}

/** Adds up several slices of one side. */
export const mergeSlices = (slices: readonly Slice[]): Slice => {
  const total = (valueOf: (slice: Slice) => number) => slices.reduce((sum, slice) => sum + valueOf(slice), 0);
  const processes = [...new Set(slices.flatMap(({ cpuUs }) => Object.keys(cpuUs)))];
  return {
    units: total(({ units }) => units),
    wallMs: total(({ wallMs }) => wallMs),
    cpuUs: Object.fromEntries(processes.map((name) => [name, total(({ cpuUs }) => cpuUs[name] ?? 0)])),
    latenciesMs: slices.flatMap(({ latenciesMs }) => latenciesMs),
  };
};

/**
 * Returns a function that computes the CPU time of the named processes per unit of work, µs. If no process is named, all
 * processes count.
 */
export const cpuPerUnit =
  (...processes: readonly string[]) =>
  ({ units, cpuUs }: Slice): number =>
    Object.entries(cpuUs)
      .filter(([name]) => processes.length === 0 || processes.includes(name))
      .reduce((sum, [, spent]) => sum + spent, 0) / units;

/** Computes the elapsed time per unit of work, µs. */
export const wallPerUnit = ({ units, wallMs }: Slice): number => (wallMs * 1_000) / units;

export const p50 = ({ latenciesMs }: Slice): number => median(latenciesMs);
export const p95 = ({ latenciesMs }: Slice): number => quantile(latenciesMs, 0.95);
export const p99 = ({ latenciesMs }: Slice): number => quantile(latenciesMs, 0.99);
