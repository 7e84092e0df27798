import type { Projection } from '../projection.ts';
import type { BuildDependencies } from '../parallel-build/build.ts';
import type { CountLog } from '../parallel-build/log-counter.ts';

export interface ReplayDependencies extends Omit<BuildDependencies, 'onBatch' | 'poison'> {
  readonly projections: readonly Projection[];
  /** Who counts the events of the log; default: this process. */
  readonly countInLog?: CountLog;
  /** Told when readers have changed over, and nobody folds what they see by now. */
  readonly onSwitched?: () => void;
  /** For how long what is live may stand where its tables hold more than that, before it is taken as it is; default 30 s. */
  readonly settleTimeoutMs?: number;
  /** How long the generation that was live before is kept. */
  readonly keepMs: number;
}
