import type { EventStore } from '@popsvc/platform/event-store';
import type { ObjectStore } from '@popsvc/platform/object-storage';
import type { LeaseStore } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { RegistryMirror } from '../places/registry-mirror.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

export interface JobParts {
  readonly store: EventStore;
  readonly objects: ObjectStore;
  readonly leases: LeaseStore;
  /** Under which name jobs are held; no two processes that run at a time have the same. */
  readonly owner: string;
  /** Tells zones of screens. */
  readonly mirror: Pick<RegistryMirror, 'registry'>;
  readonly metrics: WorkerMetrics;
  readonly log: Log;
}

/** `ended`: nothing is left to do. `busy`: somebody else is at it. `stopped`: we were asked to leave it. */
export type Outcome = 'ended' | 'busy' | 'stopped';
