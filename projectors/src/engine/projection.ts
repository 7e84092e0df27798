import type { Partition } from '@popsvc/domain/partitioning';
import type { RowBatch, TableDefinition } from '@popsvc/platform/clickhouse';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { DerivedTable } from '@popsvc/read-models/tables';
import type { LogItem } from './log-items.ts';

/**
 * Why rows are computed again, which determines the facts to read: `isolated` reads only the batch's facts, `affecting` also older ones
 * whose rows change, `window` all facts in a time range.
 */
export type RecomputeReason = 'affecting' | 'isolated' | 'registry' | 'feeders' | 'released' | 'pending' | 'window';

/** If the temporary table `emptyIfEmpty` is empty, the query returns no rows and may be skipped. */
export interface TemporaryTable {
  readonly name: string;
  readonly emptyIfEmpty?: string;
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
 * Temporary tables that build on each other, and INSERT statements that read them. The query parameters {slice} and {slices} select one of
 * several independent parts of the facts.
 */
export interface RecomputePlan {
  readonly statements: (
    generation: number,
    reason: RecomputeReason,
  ) => readonly (string | TemporaryTable | PlanStatement)[];
  readonly pairs?: {
    /**
     * Temporary table with an upper bound of the number of joined pairs: columns `network_id` and `pairs`, one or several rows for each
     * network.
     */
    readonly table: string;
    /**
     * Statements that write what needs no pairs, and fill the temporary table `put_off` with the ranges to derive later: `network_id`,
     * `screen_id`, `from_at` and `to_at`.
     */
    readonly putOff: (generation: number, reason: RecomputeReason) => readonly (string | TemporaryTable)[];
    /** Query for the number of rows that a slice of a computation derived: columns `network` and `rows`. */
    readonly derivedRowsSql: string;
    /**
     * SQL condition for rows whose facts are in pending ranges. `pending`: a query with the columns `network_id`, `screen_id` and `span`.
     */
    readonly isPendingSql: (pending: string, nameOf: (table: TableDefinition) => string) => string;
  };
  readonly staleRowsSql: Readonly<Record<StaleWindow['reason'], (generation: number) => string>>;
}

/** Both ends are included. */
export interface NetworkRange {
  readonly network: number;
  readonly lastNetwork: number;
}

/** From `fromMs` up to and not including `toMs`, in ms since 1970. */
export interface StaleWindow {
  readonly network: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: 'registry' | 'feeders';
  /** True if thresholds changed: they apply to all rows of the network in the time range. */
  readonly everything: boolean;
}

export interface DerivationShares {
  readonly unitPairs: number;
  readonly batchPairs: number;
  /** Networks whose rows are derived later. A batch adds the networks that it puts off. */
  readonly putOff: Set<number>;
  readonly onDerived?: ((rows: ReadonlyMap<number, number>) => void) | undefined;
}

/** `run` and `rows` use one ClickHouse session, with its temporary tables. */
export interface BatchSession {
  readonly generation: number;
  readonly partition: Partition;
  readonly maxWindowRows: number;
  readonly derivedUpTo: bigint;
  /** Returns the rank (see `readRanks`) of rows that are derived from the facts up to a sequence. */
  readonly rankOf: (upTo: bigint) => bigint;
  readonly shares: DerivationShares;
  readonly projection: Projection;
  /** For ranges that a batch puts off: the time up to which everything received is derived, in ms since 1970. */
  readonly derivedAsOfMs: number;
  /** `valid_from` of new and changed rows, in ms since 1970. 0: for each row, when its newest fact was appended. */
  readonly validFromMs: number;
  /**
   * Whether unchanged rows are written again with a higher version, so that late statements of an earlier derivation cannot replace them.
   */
  readonly rewritesAll: boolean;
  /** `valid_to` of the rows that the session replaces, in ms since 1970. */
  readonly validToMs: number;
  run(query: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
  /** For statements that affect only the server that executes them. */
  runOnEachServer(query: string): Promise<void>;
  rows<Row>(query: string, params?: Readonly<Record<string, unknown>>): Promise<Row[]>;
  insert(insert: PendingInsert): Promise<void>;
}

export interface PendingInsert {
  readonly table: TableDefinition;
  readonly batch: RowBatch;
}

/** `derive` runs after the rows are inserted. */
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
  /** True if tables may already contain rows of this batch's events or of later ones. */
  readonly isFoldedAgain?: boolean;
}

/** The item at which a parked or quarantined item is applied, for example an operator's decision. */
export interface AppliedAt {
  readonly sequence: bigint;
  readonly atMs: number;
}

/** Must be deterministic: `apply` uses no clock, no random values and no network. */
export interface Fold {
  /** Restores the state from an item of a state stream. Adds no rows, because the item's rows are written already. */
  restore(item: LogItem): void;
  /** If the item cannot be read, throws and leaves the open batch unchanged. Default of `at`: the item itself. */
  apply(item: LogItem, at?: AppliedAt): void;
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(range: BatchRange): SealedBatch;
}

export interface Projection extends ProjectionDeclaration {
  /** Event types whose items always add a row. An item that adds none counts as unfoldable. */
  readonly rowEventTypes: readonly string[];
  /** `partition`: default is all networks. */
  readonly createFold: (partition?: Partition) => Fold;
  readonly recomputePlan?: RecomputePlan;
}

export const derivedTableOf = ({ name, derived }: Projection): DerivedTable => {
  if (!derived) throw new Error(`projection ${name} has no derived table`);
  return derived;
};
