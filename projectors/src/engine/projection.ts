import type { RowBatch, TableDefinition } from '@popsvc/platform/clickhouse';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { RecomputePlan } from './recipe.ts';

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
export interface ParallelBuildPlan {
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
