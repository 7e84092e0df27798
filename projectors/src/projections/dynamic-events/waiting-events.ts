import type { QuarantineCode } from '@popsvc/contracts/vocabulary';
import { generationTable } from '@popsvc/platform/clickhouse';
import { quarantine } from '@popsvc/read-models/tables';
import type { AppliedAt, BatchRange, BatchSession } from '../../engine/projection.ts';
import type { DynamicEvent, WaitReason } from './map-event.ts';
import type { SchemaGroup } from './retry-points.ts';

/** Includes events that an interrupted run of this batch has released, because they are released again. */
const retriedEvents = (generation: number, select: string) => `
  SELECT ${select} FROM ${generationTable(quarantine, generation)} FINAL
  WHERE network_id = {network:UInt64} AND vendor = {vendor:String} AND schema_version = {schemaVersion:String}
  AND pos > {from:UInt64} AND pos <= {to:UInt64}
  AND ({every:UInt8} = 1 OR hasAny(screens, {screens:Array(String)}))
  AND (state = 'waiting' OR tried_pos > {after:UInt64} AND tried_pos <= {upTo:UInt64})
  ORDER BY pos`;

/** The end of a page is computed from the sizes before the events are read. */
const retriedEventSizes = (generation: number): string =>
  `${retriedEvents(generation, 'toString(pos) AS sequence, raw_bytes')} LIMIT {most:UInt32}`;

const retriedEventRows = (generation: number): string =>
  retriedEvents(
    generation,
    `toString(pos) AS sequence, toUnixTimestamp64Milli(received_at) AS received_ms,
    toUnixTimestamp64Milli(recorded_at) AS recorded_ms, toString(tried_pos) AS tried_sequence,
    toUnixTimestamp64Milli(tried_at) AS tried_ms, state, event_id, code, reason, screens, raw, max_age_days, job_id, job_row`,
  );

export const groupsWaitingForScreens = (generation: number): string => `
  SELECT DISTINCT network_id AS network, vendor, schema_version AS schemaVersion
  FROM ${generationTable(quarantine, generation)} FINAL
  WHERE network_id IN {networks:Array(UInt64)} AND notEmpty(screens)
  AND (state = 'waiting' OR tried_pos > {after:UInt64})`;

export const releasedPlays = (generation: number): string => `
  SELECT network_id, vendor, event_id FROM ${generationTable(quarantine, generation)}
  WHERE network_id = {network:UInt64} AND vendor = {vendor:String} AND schema_version = {schemaVersion:String}
  AND pos > {from:UInt64} AND pos <= {to:UInt64}
  AND state = 'released' AND tried_pos > {after:UInt64} AND tried_pos <= {upTo:UInt64}`;

export interface WaitingEvent {
  readonly dynamicEvent: DynamicEvent;
  readonly reason: WaitReason;
  /** The last retry that changed the state of the event or the reason why it waits. */
  readonly triedAt: AppliedAt;
  /** The retry at which an interrupted run of this batch released the event; undefined while it waits. */
  readonly releasedAt: AppliedAt | undefined;
}

/** Sequences after `from`, up to and including `to`. */
interface WaitingPage {
  readonly from: bigint;
  readonly to: bigint;
  readonly events: readonly WaitingEvent[];
}

interface StoredEvent {
  readonly sequence: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
  readonly tried_sequence: string;
  readonly tried_ms: number;
  readonly state: 'waiting' | 'released';
  readonly event_id: string;
  readonly code: QuarantineCode;
  readonly reason: string;
  readonly screens: readonly string[];
  readonly raw: string;
  readonly max_age_days: number | null;
  readonly job_id: string;
  readonly job_row: number;
}

const maxPageEvents = 5_000;
const maxPageBytes = 8_000_000;

const triedAtOf = (row: StoredEvent): AppliedAt => ({ sequence: BigInt(row.tried_sequence), atMs: row.tried_ms });

const waitingEvent = ({ network, vendor, schemaVersion }: SchemaGroup, row: StoredEvent): WaitingEvent => ({
  dynamicEvent: {
    source: {
      network_id: network,
      vendor,
      pos: BigInt(row.sequence),
      received_at: row.received_ms,
      recorded_at: row.recorded_ms,
    },
    schemaVersion,
    event: JSON.parse(row.raw),
    maxAgeDays: row.max_age_days ?? undefined,
    jobId: row.job_id,
    jobRow: row.job_row,
  },
  reason: { code: row.code, reason: row.reason, eventId: row.event_id, screens: row.screens },
  triedAt: triedAtOf(row),
  releasedAt: row.state === 'released' ? triedAtOf(row) : undefined,
});

const endOfPage = (sizes: readonly { sequence: string; raw_bytes: number }[]): bigint => {
  let bytes = 0;
  const over = sizes.findIndex(({ raw_bytes }) => (bytes += raw_bytes) > maxPageBytes);
  return BigInt(sizes[over < 0 ? sizes.length - 1 : Math.max(0, over - 1)]!.sequence);
};

export async function* readWaitingPages(
  session: BatchSession,
  range: BatchRange,
  group: SchemaGroup,
  screens?: readonly string[],
): AsyncGenerator<WaitingPage> {
  const { generation } = session;
  const [after, upTo] = [range.after.toString(), range.upTo.toString()];
  const params = { ...group, every: screens ? 0 : 1, screens: screens ?? [], after, upTo };
  for (let from = 0n; ;) {
    const pageParams = { ...params, from: from.toString(), to: upTo };
    const sizes = await session.rows<{ sequence: string; raw_bytes: number }>(retriedEventSizes(generation), {
      ...pageParams,
      most: maxPageEvents,
    });
    if (sizes.length === 0) return;
    const to = endOfPage(sizes);
    const rows = await session.rows<StoredEvent>(retriedEventRows(generation), { ...pageParams, to: to.toString() });
    yield { from, to, events: rows.map((row) => waitingEvent(group, row)) };
    from = to;
  }
}
