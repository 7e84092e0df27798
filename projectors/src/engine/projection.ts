import type { Partition } from '@popsvc/domain/partitioning';
import type { RowBatch, TableDefinition } from '@popsvc/platform/clickhouse';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { DerivedTable } from '@popsvc/read-models/tables';
import type { LogItem } from './log-items.ts';

/**
 * Why rows are recomputed. The reason determines which facts are read. `affecting`: the batch's facts and the older facts that
 * they affect. `isolated`: only the batch's facts. `registry`: the facts in a time range affected by changed placements or
 * thresholds. `feeders`: the facts in a time range affected by changed feeders. `released`: quarantined events that became facts
 * in this batch. `pending`: the facts in ranges that earlier batches put off. `window`: all facts in a time range, because their rows
 * were lost or a replay derives them from copied facts.
 */
export type RecomputeReason = 'affecting' | 'isolated' | 'registry' | 'feeders' | 'released' | 'pending' | 'window';

/** A temporary table and its query. The query is skipped when the temporary table named by `emptyIfEmpty` has no rows. */
export interface TemporaryTable {
  readonly name: string;
  readonly emptyIfEmpty?: string;
  /** Names and types of the columns; by default those of the query. */
  readonly columns?: string;
  readonly sql: string;
}

/** A statement of a plan: a temporary table to create, or SQL to run. */
export interface PlanStatement {
  readonly run: string | TemporaryTable;
  /** The statement is skipped if this temporary table has rows. */
  readonly ifEmpty?: string;
  /** The statement is skipped if this temporary table has no rows, or was skipped itself. */
  readonly unlessEmpty?: string;
}

/**
 * How a dataset is computed from its facts: temporary tables that build on each other, and INSERT statements that read them. They can
 * process the facts in independent parts, selected by the query parameters {slice} and {slices}.
 */
export interface RecomputePlan {
  readonly statements: (
    generation: number,
    reason: RecomputeReason,
  ) => readonly (string | TemporaryTable | PlanStatement)[];
  /** Bounds the cost of one computation; undefined: the plan joins no pairs of facts, so its cost grows only with their number. */
  readonly pairs?: {
    /** Temporary table with the pairs of facts that the next statements join: columns `network_id` and `pairs`. */
    readonly table: string;
    /**
     * Statements for networks whose derivation is put off: they write what needs no pairs, and fill the temporary table
     * `put_off` with the ranges to derive later: `network_id`, `screen_id`, `from_at` and `to_at`.
     */
    readonly putOff: (generation: number, reason: RecomputeReason) => readonly (string | TemporaryTable)[];
    /** Query for the number of rows that a computation derived: columns `network` and `rows`. */
    readonly derivedRowsSql: string;
    /**
     * SQL condition for the rows of facts in pending ranges. `pending`: a query for the ranges of facts, with the columns
     * `network_id`, `screen_id` and `span`. `nameOf` returns the name of a table.
     */
    readonly isPendingSql: (pending: string, nameOf: (table: TableDefinition) => string) => string;
  };
  /**
   * SQL conditions that select the rows that may be stale after a registry change. The more rows match, the more time windows the
   * change is split into.
   */
  readonly staleRowsSql: Readonly<Record<StaleWindow['reason'], (generation: number) => string>>;
}

/** Consecutive networks: the first and the last one. */
export interface NetworkRange {
  readonly network: number;
  readonly lastNetwork: number;
}

/** A time range affected by a change to a network's placements, thresholds or feeders. */
export interface StaleWindow {
  readonly network: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: 'registry' | 'feeders';
  /** True when thresholds changed. They apply to the whole network, so every row of the time range is recomputed. */
  readonly everything: boolean;
}

export interface DerivationShares {
  /** Maximum number of pairs of facts that one set of statements joins. */
  readonly unitPairs: number;
  /** Maximum number of pairs that one batch joins. The networks with the most pairs beyond it are put off. */
  readonly batchPairs: number;
  /** Networks whose derivation is put off. A batch adds the networks that exceed its bound. */
  readonly putOff: Set<number>;
  /** Called with the number of derived rows by network; undefined: rows are not counted. */
  readonly onDerived?: ((rows: ReadonlyMap<number, number>) => void) | undefined;
}

/** Runs the statements of one batch or unit in a single ClickHouse session so they can share temporary tables. */
export interface BatchSession {
  readonly generation: number;
  /** Only rows of its networks are derived. */
  readonly partition: Partition;
  /** Maximum number of stale rows that one statement recomputes after a registry change. */
  readonly maxWindowRows: number;
  /** `derivedUpTo` of the `ResumePoint`, as a sequence. Later facts are visible only to the batch that contains them. */
  readonly derivedUpTo: bigint;
  /** Returns the rank of the rows that the session derives from facts up to a sequence, see `readRanks`. */
  readonly rankOf: (upTo: bigint) => bigint;
  readonly shares: DerivationShares;
  readonly projection: Projection;
  /** Ranges that the batch puts off are derived up to then, in ms since 1970: everything received before the batch is derived. */
  readonly derivedAsOfMs: number;
  /** `valid_from` of the rows that the session writes, in ms since 1970. 0: for each row, when its newest fact was appended. */
  readonly validFromMs: number;
  /**
   * True in a unit: rows that equal the stored ones are written again, with a higher version. Otherwise a statement of an earlier run
   * that still runs could replace them with rows of another position. A batch is repeated with the same end, so its rows do not differ.
   */
  readonly rewritesAll: boolean;
  /** `valid_to` of the rows that the session replaces and copies to the history, in ms since 1970. */
  readonly validToMs: number;
  run(query: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Runs a statement that affects only the server that executes it, on every server of a cluster. */
  runOnEachServer(query: string): Promise<void>;
  rows<Row>(query: string, params?: Readonly<Record<string, unknown>>): Promise<Row[]>;
  /** Inserts rows that are known only during the derivation, such as the plays of released events. */
  insert(insert: PendingInsert): Promise<void>;
}

export interface PendingInsert {
  readonly table: TableDefinition;
  readonly batch: RowBatch;
}

/** A complete batch, ready to be written: the rows of its facts, and a function that derives further rows inside ClickHouse. */
export interface SealedBatch {
  readonly inserts: readonly PendingInsert[];
  readonly derive?: (session: BatchSession) => Promise<void>;
  /** For each vocabulary, the number of vendor values that match none of its entries. Such values are stored as `unknown`. */
  readonly unmapped?: ReadonlyMap<string, number>;
  readonly quarantined?: ReadonlyMap<string, number>;
}

/** Sequences of a batch's items: `after` is exclusive, `upTo` inclusive. */
export interface BatchRange {
  readonly after: bigint;
  readonly upTo: bigint;
  /** Sequences of parked facts before `after` that are applied in this batch. */
  readonly late?: readonly bigint[];
  /** True if the tables may contain rows of its events, or of later ones. */
  readonly isFoldedAgain?: boolean;
}

/** The item that causes a parked or quarantined one to be applied again, for example an operator's decision. */
export interface AppliedAt {
  readonly sequence: bigint;
  /** When the event of that item was appended, in ms since 1970. */
  readonly atMs: number;
}

/**
 * Turns the items of one run into rows. Must be deterministic: the same items always give the same rows, so `apply` uses no
 * clock, no random values and no network access.
 */
export interface Fold {
  /** Folds an item of a state stream to restore the state. Adds no rows, because the item's rows are already written. */
  restore(item: LogItem): void;
  /**
   * Adds the rows of an item to the open batch. If the item cannot be read, throws and leaves the batch unchanged. `at`: where
   * the item is applied, if not at its own sequence.
   */
  apply(item: LogItem, at?: AppliedAt): void;
  /** Size of the open batch, in rows and bytes. */
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(range: BatchRange): SealedBatch;
}

export interface Projection extends ProjectionDeclaration {
  /** Event types whose items always add a row to the open batch. An item that adds none cannot be folded. */
  readonly rowEventTypes: readonly string[];
  /** Creates the fold of a partition; default: of all networks. */
  readonly createFold: (partition?: Partition) => Fold;
  /** How the rows of `derived` are computed; undefined for projections that write rows only. */
  readonly recomputePlan?: RecomputePlan;
}

/** Returns the derived table of a projection. Throws if the projection writes rows only. */
export const derivedTableOf = ({ name, derived }: Projection): DerivedTable => {
  if (!derived) throw new Error(`projection ${name} has no derived table`);
  return derived;
};
