import type { EventStore } from '@popsvc/platform/event-store';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { CheckpointStore, LeaseStore, Queryable, Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { PoisonPolicy } from './parking/poison.ts';
import type { Batch, BatchLimits } from './batch.ts';
import type { Projection } from './projection.ts';
import type { SilenceTimeout } from './event-log.ts';

export interface RunnerDependencies {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly postgres: Postgres;
  readonly checkpoints: CheckpointStore;
  readonly leases: LeaseStore;
  readonly log: Log;
  /** The same name takes its own leases over at once; two processes that run at a time need two names. */
  readonly owner: string;
  readonly limits?: BatchLimits;
  /** What becomes of events that cannot be folded; default `park`. */
  readonly poisonPolicy?: PoisonPolicy;
  /** How long the log may be silent. */
  readonly silenceTimeout?: SilenceTimeout;
  /** How long a lease lasts that is not renewed; default 15 s. */
  readonly leaseMs?: number;
  /** What else happens in the transaction in which the checkpoint moves. */
  readonly alsoInCheckpoint?: (client: Queryable, batch: Batch) => Promise<void>;
  readonly onBatch?: (projection: Projection, batch: Batch, generation: number) => void;
}

export interface ProjectionGeneration {
  readonly projection: Projection;
  readonly generation: number;
}
