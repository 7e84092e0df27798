import type { Testbed } from '../testbed/rig.ts';
import type { Measure } from './compare.ts';

export interface Sizes {
  /** Pairs of short slices; work that cannot be cut short is paired fewer times. */
  readonly pairs: number;
  /** Events to project. */
  readonly events: number;
  /** Rows to report on. */
  readonly rows: number;
  /** Events whose way into a report is timed. */
  readonly probes: number;
}

/** A number that is held against nothing. */
export interface Metric {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export interface Outcome {
  readonly measures: readonly Measure[];
  readonly metrics: readonly Metric[];
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  run(rig: Testbed, sizes: Sizes): Promise<Outcome>;
}

export const sliceMs = 400;
export const warmUpMs = 1_500;
