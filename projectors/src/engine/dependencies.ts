import type { EventStore, SubscriptionItem } from '@popsvc/platform/event-store';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { CheckpointStore, LeasePreference, LeaseStore, Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { Batch, BatchLimits } from './batch.ts';
import type { ResumePoint } from './checkpoint.ts';
import type { Projection } from './projection.ts';
import type { ProjectionUnit } from './units.ts';
import type { SilenceTimeout } from './event-log.ts';
import type { RowBudget } from './row-budget.ts';

/** What happens to an event that cannot be folded: `park` stores it and continues, `stop` ends the run. */
export type PoisonPolicy = 'park' | 'stop';

/**
 * Yields the items of a subscription, but may delay them or end before the subscription does. Ends when the signal aborts.
 */
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
   * Name under which this process holds leases. A process immediately takes over any lease held under its own
   * name, so concurrent processes need different names.
   */
  readonly owner: string;
  readonly limits?: BatchLimits;
  /** Limits how far in the log a run folds events; default: no limit. */
  readonly limitEvents?: LimitEvents;
  /** What happens to events that cannot be folded; default `park`. */
  readonly poisonPolicy?: PoisonPolicy;
  /** How long the log may send nothing before the run fails; default: 300 s while catching up, 45 s after that. */
  readonly silenceTimeout?: SilenceTimeout;
  /** How long a lease lasts without renewal, in ms; default 15,000. */
  readonly leaseMs?: number;
  /** Whether this process or another one should own the lease of the run; default: any process. */
  readonly preference?: () => LeasePreference;
  /** Whether the run ends after its batch, so that another process can continue; default: it does not. */
  readonly shouldHandBack?: () => boolean;
  /** Called once the run holds its lease and has read where it resumes, before it handles any event. */
  readonly onResumed?: (resumed: Pick<ResumePoint, 'position' | 'asOfMs'>) => void;
  /**
   * Limits the rows that each network may derive a day; default: no limit. Read before each batch and unit. `sinceMs`: when the
   * oldest event was appended whose rows are derived. Returns undefined if these rows do not count.
   */
  readonly rowBudget?: (sinceMs: number) => RowBudget | undefined;
  /** Called after each batch. `pendingNetworks`: number of networks with pending ranges. */
  readonly onBatch?: (projection: Projection, batch: Batch, unit: ProjectionUnit, pendingNetworks: number) => void;
  /** Called when a run begins, with the number of networks that have pending ranges. */
  readonly onPending?: (projection: Projection, pendingNetworks: number) => void;
  /** Like `onPending`, but called after each unit of pending ranges. `facts`: see `derivePendingUnit`. */
  readonly onUnit?: (projection: Projection, pendingNetworks: number, facts: number) => void;
}
