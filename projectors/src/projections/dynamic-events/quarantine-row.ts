import type { quarantine, receipts } from '@popsvc/read-models/tables';
import type { TriedAt } from '../../engine/projection.ts';
import type { SentEvent } from './sent-event.ts';
import type { Fitted, Waiting } from './try-mappings.ts';

/** How an event stands: waiting, or released as a play it once could not be. */
export const quarantineRow = (sent: SentEvent, waiting: Waiting, at: TriedAt, fitted?: Fitted) => {
  const raw = JSON.stringify(sent.event);
  return {
    schema_version: sent.schemaVersion,
    tried_pos: at.position,
    tried_at: at.atMs,
    state: fitted ? 'released' : 'waiting',
    mapping_version: fitted?.version ?? 0,
    event_id: fitted?.play.eventId ?? waiting.eventId,
    code: waiting.code,
    reason: waiting.reason,
    screens: waiting.screens,
    raw,
    raw_bytes: Buffer.byteLength(raw),
    max_age_days: sent.maxAgeDays ?? null,
    job_id: sent.jobId,
    job_row: sent.jobRow,
    ...sent.source,
  } satisfies Record<keyof (typeof quarantine)['fields'], unknown>;
};

const hourMs = 3_600_000;

/** What the balance says of an event that waits; once it is released, a later version says what it became. */
export const quarantinedReceipt = ({ source: { network_id, vendor, pos, received_at } }: SentEvent) =>
  ({
    network_id,
    vendor,
    hour: Math.floor(received_at / hourMs) * hourMs,
    pos,
    outcome: 'quarantined',
    event_id: '',
    late: 0,
    clock_ahead: 0,
    version: pos,
  }) satisfies Record<keyof (typeof receipts)['fields'], unknown>;
