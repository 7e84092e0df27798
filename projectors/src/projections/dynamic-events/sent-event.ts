import type { DynamicPopRecorded } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import { type Source, sourceOf } from '../rows/source.ts';

/** An event of a vendor's own schema, and all that decides which play it is. */
export interface SentEvent {
  readonly source: Source;
  readonly schemaVersion: string;
  readonly event: unknown;
  readonly maxAgeDays: number | undefined;
  readonly jobId: string;
  readonly jobRow: number;
}

/** How a play came, as its receipt keeps it. */
export interface Origin {
  readonly schema_version: string;
  readonly job_id: string;
  readonly job_row: number;
}

/** Pushed in the canonical schema. */
export const pushed: Origin = { schema_version: '', job_id: '', job_row: 0 };

export const originOf = ({ schemaVersion, jobId, jobRow }: SentEvent): Origin => ({
  schema_version: schemaVersion,
  job_id: jobId,
  job_row: jobRow,
});

export const sentEvent = (
  logged: LogEvent,
  { schemaVersion, event, maxAgeDays, bulk }: DynamicPopRecorded,
): SentEvent => ({
  source: sourceOf(logged),
  schemaVersion,
  event,
  maxAgeDays,
  jobId: bulk?.jobId ?? '',
  jobRow: bulk?.row ?? 0,
});
