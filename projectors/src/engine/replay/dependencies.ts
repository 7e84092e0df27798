import type { Projection } from '../projection.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import type { BuildGeneration } from './build-generation.ts';

export interface ReplayDependencies extends Omit<RunnerDependencies, 'onBatch' | 'poisonPolicy' | 'limitEvents'> {
  readonly projections: readonly Projection[];
  /** Number of partitions of split projections; default 1. */
  readonly partitions?: number;
  /** Builds a new generation in another process; default: builds it in this process. */
  readonly buildInBackground?: BuildGeneration;
  /** Called after readers have been switched to the new generation. This process can then start running it at once. */
  readonly onSwitched?: () => void;
  /**
   * How long, in ms, a replay waits while the live generation's checkpoint is behind its tables and does not advance; default
   * 30,000. After that, the replay continues with the generation as it is.
   */
  readonly settleTimeoutMs?: number;
  /** How long the previous live generation is kept for a rollback, in ms. */
  readonly keepMs: number;
}
