import { median, quantile } from '../../rig/statistics.ts';

/** Length of a slice of work that can be cut short. */
export const sliceMs = 400;
export const warmUpMs = 1_500;

/** The work that one side did in a short time, and its cost. */
export interface Slice {
  /** Events, pages or rows. */
  readonly units: number;
  readonly wallMs: number;
  /** User and system CPU time, µs, by the name of the process. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** Of each request; empty if the slice is one piece of work. */
  readonly latenciesMs: readonly number[];
}

/** The system, or a baseline that it is compared with. */
export interface Side {
  readonly name: string;
  slice(): Promise<Slice>;
}

/** Adds several slices of one side up to one. */
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

/** CPU time a unit, µs, of the named processes that the side has, or of all its processes. */
export const cpuPerUnit =
  (...processes: readonly string[]) =>
  ({ units, cpuUs }: Slice): number =>
    Object.entries(cpuUs)
      .filter(([name]) => processes.length === 0 || processes.includes(name))
      .reduce((sum, [, spent]) => sum + spent, 0) / units;

/** Elapsed time a unit, µs. */
export const wallPerUnit = ({ units, wallMs }: Slice): number => (wallMs * 1_000) / units;

export const p50 = ({ latenciesMs }: Slice): number => median(latenciesMs);
export const p95 = ({ latenciesMs }: Slice): number => quantile(latenciesMs, 0.95);
export const p99 = ({ latenciesMs }: Slice): number => quantile(latenciesMs, 0.99);
