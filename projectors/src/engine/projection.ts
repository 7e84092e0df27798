import type { Partition } from '@popsvc/domain/partitioning';
import type { RowBatch, TableDefinition } from '@popsvc/platform/clickhouse';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { DerivedTable } from '@popsvc/read-models/tables';
import type { LogItem } from './log-items.ts';

/**
 * Why rows are computed again, which determines the facts to read. `affecting`: the batch's facts and the older facts whose rows they
 * affect. `isolated`: only the batch's facts. `registry`: facts whose rows changed placements or thresholds may make stale, in a time
 * range. `feeders`: the same for feeders (video sources of devices) that moved to another device. `released`: quarantined events that
 * became facts in this batch. `pending`: facts in ranges that earlier batches put off. `window`: all facts in a time range, because their
 * rows were lost or a replay derives them from copied facts.
 */
export type RecomputeReason = 'affecting' | 'isolated' | 'registry' | 'feeders' | 'released' | 'pending' | 'window';

/**
 * A temporary table and the query that fills it. If the temporary table `emptyIfEmpty` is empty, the query returns no rows and may be
 * skipped.
 */
export interface TemporaryTable {
  readonly name: string;
  readonly emptyIfEmpty?: string;
  /** Names and types of the columns; default: those of the query. */
  readonly columns?: string;
  readonly sql: string;
}

export interface PlanStatement {
  readonly run: string | TemporaryTable;
  /** The statement is skipped if this temporary table has rows. */
  readonly ifEmpty?: string;
  /** The statement is skipped if this temporary table is empty or was skipped. */
  readonly unlessEmpty?: string;
}

/**
 * How rows are computed from facts: temporary tables that build on each other, and INSERT statements that read them. The query parameters
 * {slice} and {slices} select one of several independent parts of the facts.
 */
export interface RecomputePlan {
  readonly statements: (
    generation: number,
    reason: RecomputeReason,
  ) => readonly (string | TemporaryTable | PlanStatement)[];
  /** How the cost of joining facts in pairs, such as plays with detections, is bounded. Undefined if the plan joins no pairs of facts. */
  readonly pairs?: {
    /**
     * Temporary table with an upper bound of the number of pairs that later statements join: columns `network_id` and `pairs`, one or
     * several rows for each network.
     */
    readonly table: string;
    /**
     * Statements for networks whose rows are derived later. They write what needs no pairs, and fill the temporary table `put_off` with the
     * ranges to derive: `network_id`, `screen_id`, `from_at` and `to_at`.
     */
    readonly putOff: (generation: number, reason: RecomputeReason) => readonly (string | TemporaryTable)[];
    /** Query for the number of rows that a slice of a computation derived: columns `network` and `rows`. */
    readonly derivedRowsSql: string;
    /**
     * SQL condition for rows whose facts are in pending ranges. `pending`: a query for these ranges with the columns `network_id`,
     * `screen_id` and `span`. `nameOf` returns the name of a table.
     */
    readonly isPendingSql: (pending: string, nameOf: (table: TableDefinition) => string) => string;
  };
  /**
   * SQL conditions for the rows that a registry change may make stale. The change is split into time windows by the number of these rows.
   */
  readonly staleRowsSql: Readonly<Record<StaleWindow['reason'], (generation: number) => string>>;
}

/** Networks whose ids are between `network` and `lastNetwork`, both included. */
export interface NetworkRange {
  readonly network: number;
  readonly lastNetwork: number;
}

/**
 * A time range in which placements, thresholds or feeders of a network changed: from `fromMs` up to and not including `toMs`, in ms since
 * 1970.
 */
export interface StaleWindow {
  readonly network: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: 'registry' | 'feeders';
  /** True if thresholds changed. They apply to the whole network, so all rows in the time range are computed again. */
  readonly everything: boolean;
}

export interface DerivationShares {
  /** Number of pairs of facts above which a computation is divided into smaller ones. */
  readonly unitPairs: number;
  /** Number of pairs of facts above which a computation of a batch puts off the networks with the most pairs. */
  readonly batchPairs: number;
  /** Networks whose rows are derived later. A batch adds the networks that it puts off. */
  readonly putOff: Set<number>;
  /** Called after each computation with the number of rows that it derived, by network. Undefined if rows are not counted. */
  readonly onDerived?: ((rows: ReadonlyMap<number, number>) => void) | undefined;
}

/**
 * Runs the statements of a batch, or of a unit (one step of the derivation of pending ranges). `run` and `rows` use one ClickHouse session,
 * with its temporary tables.
 */
export interface BatchSession {
  readonly generation: number;
  /** The session derives only rows of this partition's networks. */
  readonly partition: Partition;
  /** Maximum number of stale rows in a time window of a registry change; a window of one second may have more. */
  readonly maxWindowRows: number;
  /** `derivedUpTo` of the `ResumePoint`, as a sequence. */
  readonly derivedUpTo: bigint;
  /** Returns the rank (see `readRanks`) of rows that are derived from the facts up to a sequence. */
  readonly rankOf: (upTo: bigint) => bigint;
  readonly shares: DerivationShares;
  readonly projection: Projection;
  /** For the ranges that a batch puts off: the time up to which everything received is derived, in ms since 1970. */
  readonly derivedAsOfMs: number;
  /** `valid_from` of new and changed rows, in ms since 1970. 0: for each row, when its newest fact was appended. */
  readonly validFromMs: number;
  /**
   * True if rows that equal stored ones are written again, with a higher version. A unit of pending ranges needs this: a statement of an
   * earlier unit may still be running, and could otherwise replace the equal rows with rows of another position. A batch does not need it:
   * it is repeated with the same end, so such a statement writes the same rows.
   */
  readonly rewritesAll: boolean;
  /** `valid_to` of the rows that the session replaces and copies to the history, in ms since 1970. */
  readonly validToMs: number;
  run(query: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Runs on every server of a cluster, for statements that affect only the server that executes them. */
  runOnEachServer(query: string): Promise<void>;
  rows<Row>(query: string, params?: Readonly<Record<string, unknown>>): Promise<Row[]>;
  /** Inserts rows that become known during the derivation, such as the plays of released events. */
  insert(insert: PendingInsert): Promise<void>;
}

export interface PendingInsert {
  readonly table: TableDefinition;
  readonly batch: RowBatch;
}

/** The rows of a complete batch. `derive` runs after they are inserted, for example to derive further rows in ClickHouse. */
export interface SealedBatch {
  readonly inserts: readonly PendingInsert[];
  readonly derive?: (session: BatchSession) => Promise<void>;
  /** For each vocabulary, the number of vendors' words that match no entry and are stored as `unknown`. */
  readonly unmapped?: ReadonlyMap<string, number>;
  readonly quarantined?: ReadonlyMap<string, number>;
}

/** Sequences of a batch's items: after `after`, up to and including `upTo`. */
export interface BatchRange {
  readonly after: bigint;
  readonly upTo: bigint;
  /** Sequences, at or before `after`, of parked items that this batch applies. */
  readonly late?: readonly bigint[];
  /**
   * True if an earlier run announced a batch that ends after `after`: tables may already contain rows of this batch's events or of later
   * ones.
   */
  readonly isFoldedAgain?: boolean;
}

/** The item at which a parked or quarantined item is applied, for example an operator's decision. */
export interface AppliedAt {
  readonly sequence: bigint;
  /** When the event of that item was appended, in ms since 1970. */
  readonly atMs: number;
}

/**
 * Turns the items of one run into rows. It must be deterministic, so that the same items always give the same rows: `apply` uses no clock,
 * no random values and no network.
 */
export interface Fold {
  /** Folds an item of a state stream to restore the state. Adds no rows, because the item's rows are written already. */
  restore(item: LogItem): void;
  /**
   * Adds the rows of an item to the open batch. If the item cannot be read, throws and leaves the batch unchanged. `at`: where the item is
   * applied; default: at its own sequence.
   */
  apply(item: LogItem, at?: AppliedAt): void;
  /** Size of the open batch, in rows and bytes. */
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(range: BatchRange): SealedBatch;
}

export interface Projection extends ProjectionDeclaration {
  /** Event types whose items always add a row. An item that adds none counts as unfoldable. */
  readonly rowEventTypes: readonly string[];
  /** Creates the fold of a partition; default: of all networks. */
  readonly createFold: (partition?: Partition) => Fold;
  /** How the rows of `derived` are computed. Undefined if the projection derives no rows from facts. */
  readonly recomputePlan?: RecomputePlan;
}

/** Throws if the projection has no derived table. */
export const derivedTableOf = ({ name, derived }: Projection): DerivedTable => {
  if (!derived) throw new Error(`projection ${name} has no derived table`);
  return derived;
};
