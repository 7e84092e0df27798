import type { Projection } from '../projection.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import type { BuildGeneration } from './build-generation.ts';

export interface ReplayDependencies extends Omit<RunnerDependencies, 'onBatch' | 'poisonPolicy' | 'limitEvents'> {
  readonly projections: readonly Projection[];
  /** Number of partitions of split projections; default 1. */
  readonly partitions?: number;
  /** Builds a new generation in another process; default: in this process. */
  readonly buildInBackground?: BuildGeneration;
  /** Called after readers were switched to the new generation, so that this process starts running it at once. */
  readonly onSwitched?: () => void;
  /**
   * How long a replay waits while the live generation's checkpoint is behind its tables and does not advance, in ms; default 30,000. A
   * replay from the log then continues with the generation as it is; one from facts is attempted again.
   */
  readonly settleTimeoutMs?: number;
  /** How long the former live generation is kept for a rollback, in ms. */
  readonly keepMs: number;
}
