import type { TableDefinition } from '@popsvc/contracts/tables';
import type { Change } from '../places/place-watch.ts';

/**
 * Why facts are computed again: the batch names them or touches them, the registry changed what they rest on or told of
 * feeders, or they stood further back in the log and only now became facts.
 */
export type Reason = 'batch' | 'registry' | 'feeders' | 'released';

/** How a dataset is computed from its facts: statements that fill temporary tables, the last one inserts the rows. */
export interface Recipe {
  readonly table: TableDefinition;
  readonly statements: (generation: number, reason: Reason) => readonly string[];
  readonly temporary: readonly string[];
  /** Its statements compute the part `slice` of `slices`; parts share nothing. */
  readonly isSliced?: true;
  /** Of the rows in the stretch of a change those that may be stale: what is computed again is cut by how many there are. */
  readonly stale: Readonly<Record<Change['reason'], (generation: number) => string>>;
}
