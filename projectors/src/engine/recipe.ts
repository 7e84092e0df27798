import type { TableDefinition } from '@popsvc/platform/clickhouse';

/**
 * Why facts are computed again: the batch names them or touches them, it names them and touches no others, the registry changed
 * what they rest on or told of feeders, they stood further back in the log and only now became facts, or nothing was computed of
 * them before.
 */
export type RecomputeReason = 'batch' | 'alone' | 'registry' | 'feeders' | 'released' | 'rebuild';

/** The facts a rebuild goes through, by network and time. */
export interface FactsByTime {
  readonly table: TableDefinition;
  /** The instant a row is counted at: ms since 1970, a multiple of a span. */
  readonly at: string;
  /** Which rows are counted; default all. */
  readonly where?: string;
}

/** Makes the temporary table `fills` of what is selected; of nothing where a row of it needs one of the temporary table `from`. */
export interface TemporaryTable {
  readonly name: string;
  readonly emptyIfEmpty?: string;
  readonly sql: string;
}

/** How a dataset is computed from its facts: temporary tables, one made of another, and statements that insert rows of them. */
export interface RecomputePlan {
  readonly table: TableDefinition;
  readonly statements: (generation: number, reason: RecomputeReason) => readonly (string | TemporaryTable)[];
  /** Its statements compute the part `slice` of `slices`; parts share nothing. */
  readonly isSliced?: true;
  /** Of the rows in the stretch of a change those that may be stale: what is computed again is cut by how many there are. */
  readonly staleRowsSql: Readonly<Record<StaleWindow['reason'], (generation: number) => string>>;
  readonly facts: FactsByTime;
}

/** A stretch of a network's time in which places, thresholds or feeders changed. */
export interface StaleWindow {
  readonly network: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: 'registry' | 'feeders';
  /** Thresholds hold for the whole network, so everything in the stretch is computed again. */
  readonly everything: boolean;
}
