import type { RowBatch, TableDefinition } from '@popsvc/platform/clickhouse';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';

/**
 * Why facts are recomputed. `batch`: the batch contains or affects them. `alone`: the batch contains them and affects
 * no others. `registry`, `feeders`: the registry or its feeders changed. `released`: older events became facts in this
 * batch.
 */
export type RecomputeReason = 'batch' | 'alone' | 'registry' | 'feeders' | 'released';

/**
 * Creates the temporary table `name` from the query. It stays empty when the temporary table `emptyIfEmpty` has no
 * rows.
 */
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
  /** The statements compute slice `slice` of `slices`; slices are independent. */
  readonly isSliced?: true;
  /**
   * SQL conditions for the rows that a change may have made stale. Their number decides into how many windows the
   * change is cut.
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

/** Runs the statements of one batch. They share temporary tables, and fail when ClickHouse restarted between them. */
export interface BatchSession {
  readonly generation: number;
  /** Maximum number of stale rows that one statement recomputes after a registry change. */
  readonly maxWindowRows: number;
  /** Facts past this position are visible only to the batch that contains them; undefined: all facts are visible. */
  readonly derivedUpTo?: bigint | undefined;
  run(query: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
  rows<Row>(query: string, params?: Readonly<Record<string, unknown>>): Promise<Row[]>;
  /** Inserts rows that become known only while deriving. A repeated batch must insert the same rows. */
  insert(insert: PendingInsert): Promise<void>;
}

export interface PendingInsert {
  readonly table: TableDefinition;
  readonly batch: RowBatch;
}

/** A batch closed for writing: rows of facts, and a function that derives further rows inside ClickHouse. */
export interface SealedBatch {
  readonly inserts: readonly PendingInsert[];
  readonly derive?: (steps: BatchSession) => Promise<void>;
  /** Number of words outside each closed vocabulary; they became `unknown`. */
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

/** State that is read again from the log while the fold still uses the old state. */
export interface StateReload {
  /** `knownFrom`: the position at which the event was applied. */
  restore(event: LogEvent, knownFrom: bigint): void;
  /**
   * Replaces the old state. Rows that change because of it are written with the next batch. `taken`: the events that
   * the old state lacked.
   */
  adopt(at: AppliedAt, taken: readonly LogEvent[]): void;
}

/** Turns the events of one run into rows. `apply` is deterministic: no clock, no random values, no network. */
export interface Fold {
  /** Folds state from an event whose rows are already written. */
  restore(event: LogEvent): void;
  /**
   * Adds the rows of an event to the open batch. Throws when the event cannot be read, and leaves the batch unchanged.
   * `at`: where the event is applied when that is not its own position.
   */
  apply(event: LogEvent, at?: AppliedAt): void;
  /** Rows and bytes of the open batch. */
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(range: BatchRange): SealedBatch;
  /** Required of folds with state streams. Called between two batches. */
  reloadState?(): StateReload;
}

/** A projection: its declaration (streams, state streams, tables) and its fold. */
export interface Projection extends ProjectionDeclaration {
  /** Event types that always produce a row. A replay fails when one of them produced none. */
  readonly rowEventTypes: readonly string[];
  readonly createFold: () => Fold;
}
