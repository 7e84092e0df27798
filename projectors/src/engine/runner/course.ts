import type { BatchLimits } from '../limits.ts';

/** From where, and at which sizes; `cuts` are positions at which batches must end, whatever their size. */
export interface ResumePlan {
  readonly start: bigint;
  readonly cuts: readonly bigint[];
  readonly limits: BatchLimits;
}
