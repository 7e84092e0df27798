import type { RowBatch, TableDefinition } from '@popsvc/platform/clickhouse';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';

/**
 * Selects the facts to recompute. `affecting`: those that the batch contains and those that they affect. `isolated`: only
 * those that the batch contains. `registry`, `feeders`: those in a window in which the registry or its feeders changed.
 * `released`: older events that became facts in this batch.
 */
export type RecomputeReason = 'affecting' | 'isolated' | 'registry' | 'feeders' | 'released';

/** A temporary table and its query. The query is skipped when the temporary table `emptyIfEmpty` has no rows. */
export interface TemporaryTable {
  readonly name: string;
  readonly emptyIfEmpty?: string;
  readonly sql: string;
}

/**
 * How a dataset is computed from its facts: temporary tables that build on each other, and INSERT statements that read
 * them.
 */
export interface RecomputePlan {
  readonly table: TableDefinition;
  readonly statements: (generation: number, reason: RecomputeReason) => readonly (string | TemporaryTable)[];
  /** True when the statements can compute the facts in independent slices: part {slice} of {slices}. */
  readonly isSliced?: true;
  /**
   * SQL conditions for the rows that a change of the registry may have made stale. The number of these rows decides into
   * how many windows the change is cut.
   */
  readonly staleRowsSql: Readonly<Record<StaleWindow['reason'], (generation: number) => string>>;
}

/** A time range of a network in which placements, thresholds or feeders changed. */
export interface StaleWindow {
  readonly network: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: 'registry' | 'feeders';
  /** True when thresholds changed: they apply to the whole network, so every row of the range is recomputed. */
  readonly everything: boolean;
}

/** Runs the statements of one batch in one ClickHouse session, so that they share temporary tables. */
export interface BatchSession {
  readonly generation: number;
  /** Maximum number of stale rows that one statement recomputes after a registry change. */
  readonly maxWindowRows: number;
  /** Facts past this position are visible only to the batch that contains them; undefined: all facts are visible. */
  readonly derivedUpTo?: bigint | undefined;
  run(query: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
  rows<Row>(query: string, params?: Readonly<Record<string, unknown>>): Promise<Row[]>;
  /** Inserts rows that become known only while rows are derived. A repeated batch must insert the same rows. */
  insert(insert: PendingInsert): Promise<void>;
}

export interface PendingInsert {
  readonly table: TableDefinition;
  readonly batch: RowBatch;
}

/** A batch closed for writing: rows of facts, and a function that derives further rows inside ClickHouse. */
export interface SealedBatch {
  readonly inserts: readonly PendingInsert[];
  readonly derive?: (session: BatchSession) => Promise<void>;
  /** Number of vendors' words that became `unknown`, by the closed vocabulary that lacks them. */
  readonly unmapped?: ReadonlyMap<string, number>;
  /** Number of quarantined events by error code. */
  readonly quarantined?: ReadonlyMap<string, number>;
}

/** Log positions of a batch: `after` is exclusive, `upTo` inclusive. */
export interface BatchRange {
  readonly after: bigint;
  readonly upTo: bigint;
  /** Positions of facts before `after` that were parked and are applied in this batch. */
  readonly late?: readonly bigint[];
}

/** The event of the log at which a parked or quarantined event is applied again. */
export interface AppliedAt {
  readonly position: bigint;
  /** When it was appended, in ms since 1970. */
  readonly atMs: number;
}

/** A second state that is restored from the log while the fold still uses its old state. */
export interface StateReload {
  /** Folds an event into the second state. `knownFrom`: the position at which the event was applied. */
  restore(event: LogEvent, knownFrom: bigint): void;
  /**
   * Replaces the old state by the second one. Rows that change because of it are written with the open batch. `taken`:
   * the events that the old state lacked.
   */
  adopt(at: AppliedAt, taken: readonly LogEvent[]): void;
}

/** Turns the events of one run into rows. Deterministic: `apply` uses no clock, no random values and no network. */
export interface Fold {
  /** Folds an event of a state stream whose rows are already written, to restore the state. */
  restore(event: LogEvent): void;
  /**
   * Adds the rows of an event to the open batch. Throws when the event cannot be read, and leaves the batch unchanged.
   * `at`: where the event is applied when that is not its own position.
   */
  apply(event: LogEvent, at?: AppliedAt): void;
  /** Number of rows and bytes of the open batch. */
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(range: BatchRange): SealedBatch;
  /** Begins to replace the state. Required of folds with state streams; called between two batches. */
  reloadState?(): StateReload;
}

/** A projection: its declaration (streams, state streams, tables) and its fold. */
export interface Projection extends ProjectionDeclaration {
  /** Event types that always produce a row. A replay fails when one of them produced none. */
  readonly rowEventTypes: readonly string[];
  readonly createFold: () => Fold;
}
