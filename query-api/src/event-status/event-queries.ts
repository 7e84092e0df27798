import type { PlayReference } from '@popsvc/contracts/responses';
import type { PlayReason, PopType, QuarantineCode } from '@popsvc/contracts/vocabulary';
import { bind, currentRows, limitedTo, type Sql, sql, type TableDefinition } from '@popsvc/platform/clickhouse';
import { classifyReceipts, unresolvedFields } from '@popsvc/read-models/queries';
import { coffee, plays, quarantine, screenPlaces } from '@popsvc/read-models/tables';
import { rowsOfNetwork } from '../scope/network-rows.ts';

/** Selects an event by the id that its vendor gave it. `network` and `vendor` come from the caller's API key. */
export interface EventSelection {
  readonly network: number;
  readonly vendor: string;
  readonly eventId: string;
  /** The generation of the coffee tables to read; by default, the live one. */
  readonly generation?: number | undefined;
}

const isEvent = ({ vendor, eventId }: EventSelection): readonly Sql[] => [
  sql`vendor = ${bind('String', vendor)}`,
  sql`event_id = ${bind('String', eventId)}`,
];

const eventRows = (table: Pick<TableDefinition, 'name'>, event: EventSelection, conditions = isEvent(event)): Sql => {
  const { network, generation } = event;
  const source = limitedTo({ network, fromMs: -Infinity, toMs: Infinity }, currentRows(table, generation));
  return rowsOfNetwork(table, network, conditions, source);
};

/**
 * How an event was received: the schema version of a dynamic event, and the job and row of an event from a bulk file. Fields that
 * do not apply are empty or 0.
 */
export interface ReceiptOrigin {
  readonly schema_version: string;
  readonly job_id: string;
  readonly job_row: number;
}

/**
 * A receipt of a play. Each time a vendor resends a play, another receipt is created. `total` counts all receipts of the play.
 * `conflicts` counts the receipts whose content differs from that of the first receipt. Times are in ms since 1970.
 */
export interface PlayReceipt extends ReceiptOrigin {
  readonly sequence: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
  readonly late: number;
  readonly clock_ahead: number;
  readonly outcome: 'stored' | 'duplicate' | 'conflict';
  readonly played_ms: number;
  readonly duration_ms: number;
  readonly screen_id: string;
  readonly campaign_ref: string;
  readonly creative_ref: string;
  /** Fields whose id is not registered. */
  readonly unresolved: readonly PlayReference[];
  readonly play_reason: PlayReason;
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly content_hash_hex: string;
  readonly total: number;
  readonly conflicts: number;
}

/** Selects the places of those screens that the receipts of an event name. */
const registeredScreens = (event: EventSelection): Sql =>
  eventRows(screenPlaces, event, [sql`screen_id IN (SELECT screen_id FROM ${eventRows(plays, event)})`]);

/** Selects up to `limit` play receipts of an event, in log order. */
export const queryPlayReceipts = (event: EventSelection, limit: number): Sql => sql`
SELECT toString(pos) AS sequence, toUnixTimestamp64Milli(received_at) AS received_ms,
  toUnixTimestamp64Milli(recorded_at) AS recorded_ms, late, clock_ahead, outcome,
  toUnixTimestamp64Milli(played_at) AS played_ms, duration_ms, screen_id, campaign_ref, creative_ref, play_reason,
  lower(hex(content_hash)) AS content_hash_hex,
  schema_version, job_id, job_row, ${unresolvedFields(registeredScreens(event))} AS unresolved,
  count() OVER () AS total, countIf(outcome = 'conflict') OVER () AS conflicts
FROM (${classifyReceipts(eventRows(plays, event))})
ORDER BY pos LIMIT ${bind('UInt64', limit)}`;

/** A receipt that is or was in quarantine. `waiting` is the number of the event's receipts that are still quarantined. */
export interface QuarantinedReceipt extends ReceiptOrigin {
  readonly sequence: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
  readonly state: 'waiting' | 'released';
  readonly code: QuarantineCode;
  readonly reason: string;
  readonly tried_ms: number;
  readonly waiting: number;
}

/** Selects up to `limit` of an event's receipts that are or were in quarantine, in log order. */
export const queryQuarantinedReceipts = (event: EventSelection, limit: number): Sql => sql`
SELECT toString(pos) AS sequence, toUnixTimestamp64Milli(received_at) AS received_ms,
  toUnixTimestamp64Milli(recorded_at) AS recorded_ms, state, code, reason, schema_version, job_id, job_row,
  toUnixTimestamp64Milli(tried_at) AS tried_ms, countIf(state = 'waiting') OVER () AS waiting
FROM ${eventRows(quarantine, event)}
ORDER BY pos LIMIT ${bind('UInt64', limit)}`;

/** A summary of a play's rows in the coffee report. */
export interface PlayInCoffee {
  readonly coffee_rows: number;
  readonly pop_types: readonly PopType[];
  readonly device_id: number;
  readonly site_id: number;
  readonly projected_ms: number | null;
}

/**
 * Selects a summary of a play's rows in the coffee report. The condition on the play's start time lets ClickHouse use the primary
 * index.
 */
export const queryPlayInCoffee = (event: EventSelection): Sql => sql`
SELECT count() AS coffee_rows, arraySort(groupUniqArray(pop_type)) AS pop_types,
  max(device_id) AS device_id, max(site_id) AS site_id, toUnixTimestamp64Milli(maxOrNull(projected_at)) AS projected_ms
FROM ${eventRows(coffee, event, [sql`ts = (SELECT argMinOrNull(played_at, pos) FROM ${eventRows(plays, event)})`, ...isEvent(event)])}`;
