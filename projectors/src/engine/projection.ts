import type { RowBatch, TableDefinition } from '@popsvc/platform/clickhouse';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';

/**
 * Why facts are computed again: the batch names them or touches them, it names them and touches no others, the registry changed
 * what they rest on or told of feeders, they stood further back in the log and only now became facts, or nothing was computed of
 * them before.
 */
export type RecomputeReason = 'batch' | 'alone' | 'registry' | 'feeders' | 'released' | 'rebuild';

/** The facts a rebuild goes through, by network and time. */
interface FactsByTime {
  readonly table: TableDefinition;
  /** The instant a row is counted at: ms since 1970, a multiple of a span. */
  readonly at: string;
  readonly widthMs: number;
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

/** Statements of one batch: they share temporary tables, and fail loudly when the server restarted between them. */
export interface BatchSession {
  readonly generation: number;
  /** How many rows that the registry made stale are computed again at a time. */
  readonly maxWindowRows: number;
  /** Facts past it count from the batch on that brings them; undefined: all of them count. */
  readonly derivedUpTo?: bigint | undefined;
  run(query: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
  rows<Row>(query: string, params?: Readonly<Record<string, unknown>>): Promise<Row[]>;
  /** Rows that only came to be known on the way; told again they must be the same rows. */
  insert(insert: PendingInsert): Promise<void>;
}

export interface PendingInsert {
  readonly table: TableDefinition;
  readonly batch: RowBatch;
}

/** A batch closed for writing: rows of facts first, then what follows from them, computed inside ClickHouse. */
export interface SealedBatch {
  readonly inserts: readonly PendingInsert[];
  readonly derive?: (steps: BatchSession) => Promise<void>;
  /** Of `after` the part that adds facts: makes plays of events that waited for what the batch brought. */
  readonly releaseWaiting?: (steps: BatchSession) => Promise<unknown>;
  /** How many words of which vocabulary were not understood and became `unknown`. */
  readonly unmapped?: ReadonlyMap<string, number>;
  /** How many events were set apart until a mapping fits them, by the code of why. */
  readonly quarantined?: ReadonlyMap<string, number>;
}

/** Log positions of a batch: after `after`, up to and including `upTo`. */
export interface BatchRange {
  readonly after: bigint;
  readonly upTo: bigint;
  /** Facts further back that were set aside, and are taken in this batch. */
  readonly late?: readonly bigint[];
}

/** An event of the log at which something is tried. */
export interface AppliedAt {
  readonly position: bigint;
  /** When it was appended, ms since 1970. */
  readonly atMs: number;
}

/** Memory made anew from the log, while the fold still has the old one. */
export interface StateReload {
  /** `knownFrom`: where in the log it was taken. */
  restore(event: LogEvent, knownFrom: bigint): void;
  /** Takes the place of the old one; rows that are others now follow with the batch. `taken`: what was missing before. */
  adopt(at: AppliedAt, taken: readonly LogEvent[]): void;
}

/** One incarnation's fold. `take` is pure towards the outside: no clock, no chance, no network. */
export interface Fold {
  /** Folds state from an event whose rows are written already. */
  restore(event: LogEvent): void;
  /**
   * Adds the event's rows to the open batch; throws on an event that cannot be read, leaving the batch as it was. `at`: where it
   * is taken, if not where it stands.
   */
  apply(event: LogEvent, at?: AppliedAt): void;
  /** Rows and bytes of the open batch. */
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(range: BatchRange): SealedBatch;
  /** For folds that recall. Called between two batches. */
  reloadState?(): StateReload;
}

/** How a generation is made of the whole log at once: facts in any order, then the rest from all of them. */
interface ParallelBuildPlan {
  /** Tables whose rows each come of one event and of what the log said before it, wherever a batch begins and ends. */
  readonly facts: readonly TableDefinition[];
  /** What is computed from the facts. */
  readonly recompute?: RecomputePlan;
}

/** What a projection is: which streams it reads, which it must recall when it starts, its tables, its fold. */
export interface Projection extends ProjectionDeclaration {
  /** Types of events each of which makes a row wherever it stands: none of them may be passed over without a word. */
  readonly rowEventTypes: readonly string[];
  /** None: a generation is folded from the beginning of the log, one event after the other. */
  readonly parallelBuild?: ParallelBuildPlan;
  readonly createFold: () => Fold;
}
