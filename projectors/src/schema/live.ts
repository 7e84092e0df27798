import type { Projection } from '../run/projection.ts';

/** A generation of a projection, most often the one that readers see. */
export interface Live {
  readonly projection: Projection;
  readonly generation: number;
  /** Tables that are newer than it: they hold what came since they were made, and nothing from before. */
  readonly lacks?: readonly string[];
}
