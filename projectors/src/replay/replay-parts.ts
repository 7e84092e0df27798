import type { Records } from '@popsvc/platform/records';
import type { Projection } from '../run/projection.ts';
import type { RunnerParts } from '../run/run-projection.ts';

export interface ReplayParts extends Omit<RunnerParts, 'onBatch' | 'poison'> {
  readonly records: Records;
  readonly projections: readonly Projection[];
  /** How long the generation that was live before is kept. */
  readonly keepMs: number;
}
