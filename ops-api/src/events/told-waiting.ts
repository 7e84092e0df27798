import { instantOf } from '@popsvc/contracts/time';
import type { ReasonFound, WaitingFound } from './quarantine.query.ts';

/** How many events of a schema wait for the same kind of reason. */
export const toldReason = ({ oldest_ms, newest_ms, ...reason }: ReasonFound) => ({
  ...reason,
  oldest_received_at: instantOf(oldest_ms),
  newest_received_at: instantOf(newest_ms),
});

/** An event that waits; `raw` is JSON as sent, cut where it is very long. */
export const toldWaiting = ({ event_id, received_ms, job_id, job_row, ...waiting }: WaitingFound) => ({
  ...waiting,
  event_id: event_id || null,
  received_at: instantOf(received_ms),
  job_id: job_id || null,
  job_row: job_row || null,
});
