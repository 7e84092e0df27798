import type { ProjectionDeclaration } from './projection-declaration.ts';

/** A generation of a projection, most often the one that readers see. */
export interface Generation<Declaration extends ProjectionDeclaration = ProjectionDeclaration> {
  readonly projection: Declaration;
  readonly generation: number;
  /** Tables that are newer than it: they hold what came since they were made, and nothing from before. */
  readonly incompleteTables?: readonly string[];
}
