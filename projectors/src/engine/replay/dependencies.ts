import type { Projection } from '../projection.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import type { BuildGeneration } from './build-generation.ts';

export interface ReplayDependencies extends Omit<RunnerDependencies, 'onBatch' | 'poisonPolicy' | 'limitEvents'> {
  readonly projections: readonly Projection[];
  /** Number of partitions of split projections; default 1. */
  readonly partitions?: number;
  /** Default: the generation is built in this process. */
  readonly buildInBackground?: BuildGeneration;
  readonly onSwitched?: () => void;
  /** How long a replay waits while the live checkpoint is behind its tables and does not advance; default 30,000. */
  readonly settleTimeoutMs?: number;
  /** How long the former live generation is kept for a rollback. */
  readonly keepMs: number;
}
