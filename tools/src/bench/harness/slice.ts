/** What was done in a short time on one side, and what it cost. */
export interface Slice {
  /** Events, pages or rows. */
  readonly units: number;
  readonly wallMs: number;
  /** CPU by the name of the process, user and system, µs. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** Of each request; empty where a slice is one piece of work. */
  readonly latenciesMs: readonly number[];
}

/** The system, or a baseline it is held against. */
export interface Side {
  readonly name: string;
  slice(): Promise<Slice>;
}

/** Several slices of one side as if they had been one. */
export const mergeSlices = (slices: readonly Slice[]): Slice => {
  const total = (of: (slice: Slice) => number) => slices.reduce((sum, slice) => sum + of(slice), 0);
  const processes = [...new Set(slices.flatMap(({ cpuUs }) => Object.keys(cpuUs)))];
  return {
    units: total(({ units }) => units),
    wallMs: total(({ wallMs }) => wallMs),
    cpuUs: Object.fromEntries(processes.map((name) => [name, total(({ cpuUs }) => cpuUs[name] ?? 0)])),
    latenciesMs: slices.flatMap(({ latenciesMs }) => latenciesMs),
  };
};

/** CPU a unit, µs: of the named processes as far as the side has them, or of all. */
export const cpuPerUnit =
  (...processes: readonly string[]) =>
  ({ units, cpuUs }: Slice): number =>
    Object.entries(cpuUs)
      .filter(([name]) => processes.length === 0 || processes.includes(name))
      .reduce((sum, [, spent]) => sum + spent, 0) / units;

/** Wall time a unit, µs. */
export const wallPerUnit = ({ units, wallMs }: Slice): number => (wallMs * 1_000) / units;
