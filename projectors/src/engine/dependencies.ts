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

/** `park` normally stores an item that cannot be folded, so that it can be retried. `stop` ends the run. */
export type PoisonPolicy = 'park' | 'stop';

/** May delay items, and may end before the subscription does. */
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
  /** Concurrent processes need different names, because a process can acquire a lease under its own name again at once. */
  readonly owner: string;
  readonly limits?: BatchLimits;
  readonly limitEvents?: LimitEvents;
  /** Default `park`. */
  readonly poisonPolicy?: PoisonPolicy;
  /** Default: 300 s while catching up, then 45 s. */
  readonly silenceTimeout?: SilenceTimeout;
  /** Default 15,000. */
  readonly leaseMs?: number;
  readonly preference?: () => LeasePreference;
  /** If true, the run ends after its current batch, so that another process can continue. */
  readonly shouldHandBack?: () => boolean;
  /** Called before the run handles its first event. */
  readonly onResumed?: (resumed: Pick<ResumePoint, 'position' | 'asOfMs'>) => void;
  /** `sinceMs`: when the oldest event of the derived rows was appended, in ms since 1970. Undefined if these rows do not count. */
  readonly rowBudget?: (sinceMs: number) => RowBudget | undefined;
  /** `pendingNetworks`: number of networks with pending ranges. */
  readonly onBatch?: (
    projection: Projection,
    batch: Batch,
    target: GenerationPartition,
    pendingNetworks: number,
  ) => void;
  /** Called when a run begins. */
  readonly onPending?: (projection: Projection, pendingNetworks: number) => void;
  readonly onUnit?: (projection: Projection, pendingNetworks: number, facts: number) => void;
}
