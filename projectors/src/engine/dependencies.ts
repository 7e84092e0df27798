import type { EventStore, SubscriptionItem } from '@popsvc/platform/event-store';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { CheckpointStore, LeaseStore, Queryable, Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { Batch, BatchLimits } from './batch.ts';
import type { Projection } from './projection.ts';
import type { SilenceTimeout } from './event-log.ts';

/** What happens to an event that cannot be folded: `park` stores it and continues, `stop` ends the run. */
export type PoisonPolicy = 'park' | 'stop';

/** Passes the items of a subscription on, and may hold them back or end them. Ends when the signal aborts. */
export type LimitEvents = (
  items: AsyncIterable<SubscriptionItem>,
  signal: AbortSignal,
) => AsyncIterable<SubscriptionItem>;

export interface RunnerDependencies {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly postgres: Postgres;
  readonly checkpoints: CheckpointStore;
  readonly leases: LeaseStore;
  readonly log: Log;
  /**
   * Name of the lease holder. A process takes over leases of its own name at once, so concurrent processes need
   * different names.
   */
  readonly owner: string;
  readonly limits?: BatchLimits;
  /** Limits how far a run folds; default: without a limit. */
  readonly limitEvents?: LimitEvents;
  /** What happens to events that cannot be folded; default `park`. */
  readonly poisonPolicy?: PoisonPolicy;
  /** How long the log may send nothing before the run fails. */
  readonly silenceTimeout?: SilenceTimeout;
  /** How long a lease lasts without renewal; default 15 s. */
  readonly leaseMs?: number;
  /** Runs in the transaction that moves the checkpoint. */
  readonly alsoInCheckpoint?: (client: Queryable, batch: Batch) => Promise<void>;
  readonly onBatch?: (projection: Projection, batch: Batch, generation: number) => void;
}

export interface ProjectionGeneration {
  readonly projection: Projection;
  readonly generation: number;
}
