import type { EventStore, SubscriptionItem } from '@popsvc/platform/event-store';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { CheckpointStore, LeasePreference, LeaseStore, Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { Batch, BatchLimits } from './batch.ts';
import type { ResumePoint } from './checkpoint.ts';
import type { Projection } from './projection.ts';
import type { GenerationPartition } from './generation-partitions.ts';
import type { SilenceTimeout } from './event-log.ts';
import type { RowBudget } from './row-budget.ts';

/**
 * What happens to an event that cannot be folded. `park`: it is stored and the run continues, if the event may be parked (see
 * `EventApplier`). `stop`: the run ends.
 */
export type PoisonPolicy = 'park' | 'stop';

/** Yields the items of a subscription. It may delay them, or end before the subscription. Ends when the signal aborts. */
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
   * Name under which this process holds leases. Concurrent processes need different names: a process takes over leases under its own name
   * at once.
   */
  readonly owner: string;
  readonly limits?: BatchLimits;
  /** Limits how far in the log a run folds events; default: no limit. */
  readonly limitEvents?: LimitEvents;
  /** Default `park`. */
  readonly poisonPolicy?: PoisonPolicy;
  /** How long the log may send nothing before the run fails; default: 300 s while catching up, then 45 s. */
  readonly silenceTimeout?: SilenceTimeout;
  /** How long a lease lasts without renewal, in ms; default 15,000. */
  readonly leaseMs?: number;
  /** Whether this process should own the lease of the run, or another one; default: any process. */
  readonly preference?: () => LeasePreference;
  /** Whether the run ends after its current batch, so that another process can continue; default: never. */
  readonly shouldHandBack?: () => boolean;
  /** Called after the run has read where it resumes, and before it handles the first event. */
  readonly onResumed?: (resumed: Pick<ResumePoint, 'position' | 'asOfMs'>) => void;
  /**
   * Returns the daily limit on the rows that each network may derive; default: no limit. `sinceMs`: when the oldest event whose rows are
   * derived was appended, in ms since 1970. Returns undefined if rows of such events do not count.
   */
  readonly rowBudget?: (sinceMs: number) => RowBudget | undefined;
  /** Called after each batch. `pendingNetworks`: number of networks with pending ranges, whose rows are derived later. */
  readonly onBatch?: (
    projection: Projection,
    batch: Batch,
    target: GenerationPartition,
    pendingNetworks: number,
  ) => void;
  /** Called when a run begins. `pendingNetworks`: number of networks with pending ranges, whose rows are derived later. */
  readonly onPending?: (projection: Projection, pendingNetworks: number) => void;
  /** Called after each unit of pending ranges. `facts`: see `derivePendingUnit`. */
  readonly onUnit?: (projection: Projection, pendingNetworks: number, facts: number) => void;
}
