import type { Projection } from '../projection.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import type { BuildGeneration } from './build-generation.ts';
import type { CountLog } from './event-accounts.ts';

export interface ReplayDependencies extends Omit<RunnerDependencies, 'onBatch' | 'poisonPolicy' | 'limitEvents'> {
  readonly projections: readonly Projection[];
  /** Builds a new generation up to the live one; default: in this process. */
  readonly buildInBackground?: BuildGeneration;
  /** Counts the events of the log; default: in this process. */
  readonly countInBackground?: CountLog;
  /** Called after readers switched, when no process runs their generation yet. */
  readonly onSwitched?: () => void;
  /** How long the live generation may stay behind its tables before it is accepted as it is; default 30 s. */
  readonly settleTimeoutMs?: number;
  /** How long the previous live generation is kept. */
  readonly keepMs: number;
}
