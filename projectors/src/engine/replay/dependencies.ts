import type { Projection } from '../projection.ts';
import type { BuildDependencies } from '../parallel-build/build.ts';
import type { CountLog } from '../parallel-build/log-counter.ts';

export interface ReplayDependencies extends Omit<BuildDependencies, 'onBatch' | 'poison'> {
  readonly projections: readonly Projection[];
  /** Counts the events of the log; default: in this process. */
  readonly countInLog?: CountLog;
  /** Called after readers switched, when no process runs their generation yet. */
  readonly onSwitched?: () => void;
  /** How long the live generation may stay behind its tables before it is accepted as it is; default 30 s. */
  readonly settleTimeoutMs?: number;
  /** How long the previous live generation is kept. */
  readonly keepMs: number;
}
