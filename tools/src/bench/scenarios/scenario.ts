import type { Rig } from '../testbed/testbed.ts';
import type { Outcome } from '../harness/report.ts';

export interface Sizes {
  /** Number of slice pairs that scenarios with short slices measure. Scenarios with longer slices measure fewer pairs. */
  readonly pairs: number;
  /** Number of events in the log. */
  readonly events: number;
  readonly rows: number;
  /** Number of probes. A probe is a play. The freshness scenario measures how long each probe takes to appear in the report. */
  readonly probes: number;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  run(rig: Rig, sizes: Sizes): Promise<Outcome>;
}

export const sizeOptions = {
  pairs: { type: 'string', default: '20' },
  n: { type: 'string', default: '50000' },
  rows: { type: 'string', default: '300000' },
  probes: { type: 'string', default: '100' },
} as const;

const parseWhole = (name: string, text: string, minimum: number): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < minimum)
    throw new Error(`--${name} must be a whole number of at least ${minimum}`);
  return value;
};

/** Parses the sizes given on the command line. The error for an invalid size names the option. */
export const parseSizes = (options: Readonly<Record<keyof typeof sizeOptions, string>>): Sizes => ({
  pairs: parseWhole('pairs', options.pairs, 2),
  events: parseWhole('n', options.n, 1_000),
  rows: parseWhole('rows', options.rows, 10_000),
  probes: parseWhole('probes', options.probes, 4),
});
