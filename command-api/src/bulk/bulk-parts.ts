import type { EventStore } from '@popsvc/platform/event-store';
import type { ExternalObjectStore, ReceivingObjectStore, UploadUrls } from '@popsvc/platform/object-storage';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import type { StoreGate } from '../intake/store-gate.ts';
import type { UploadMetrics } from './upload-metrics.ts';

/** Where files come to: to us, by addresses of our own, or to another store, by its. */
export type Files =
  | { readonly objects: ReceivingObjectStore; readonly addresses: UploadUrls }
  | { readonly objects: ExternalObjectStore };

export interface BulkParts {
  readonly store: Pick<EventStore, 'readStream' | 'append'>;
  readonly gate: Pick<StoreGate, 'pass' | 'close' | 'stop'>;
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly log: Log;
  readonly files: Files;
  readonly metrics: UploadMetrics;
  readonly maxUploadBytes: number;
  /** Undefined: events of any age. */
  readonly maxAgeDays: number | undefined;
}
