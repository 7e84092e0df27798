import type { Projection } from '../run/projection.ts';
import type { BuildParts } from '../rebuild/index.ts';

export interface ReplayParts extends Omit<BuildParts, 'onBatch' | 'poison'> {
  readonly projections: readonly Projection[];
  /** How long the generation that was live before is kept. */
  readonly keepMs: number;
}
