import type { MappingFailureCode } from '@popsvc/domain/mappings';
import { generationTable } from '@popsvc/platform/clickhouse';
import { quarantine } from '@popsvc/read-models/tables';
import type { BatchRange, BatchSession, AppliedAt } from '../../engine/projection.ts';
import type { SentEvent, Waiting } from './map-event.ts';
import type { Group } from './retry-points.ts';

/** Events of a group that wait, and those this batch released in an earlier life: that is done again, as a whole. */
const candidates = (generation: number, select: string) => `
  SELECT ${select} FROM ${generationTable(quarantine, generation)} FINAL
  WHERE network_id = {network:UInt64} AND vendor = {vendor:String} AND schema_version = {schemaVersion:String}
  AND pos > {from:UInt64} AND pos <= {to:UInt64}
  AND ({every:UInt8} = 1 OR hasAny(screens, {screens:Array(String)}))
  AND (state = 'waiting' OR tried_pos > {after:UInt64} AND tried_pos <= {upTo:UInt64})
  ORDER BY pos`;

/** Where the next events stand, and how large they are; the events themselves are read once it is known how many fit. */
const candidateSizes = (generation: number): string =>
  `${candidates(generation, 'toString(pos) AS position, raw_bytes')} LIMIT {most:UInt32}`;

const candidateEvents = (generation: number): string =>
  candidates(
    generation,
    `toString(pos) AS position, toUnixTimestamp64Milli(received_at) AS received_ms,
    toUnixTimestamp64Milli(recorded_at) AS recorded_ms, toString(tried_pos) AS tried_position,
    toUnixTimestamp64Milli(tried_at) AS tried_ms, state, event_id, code, reason, screens, raw, max_age_days, job_id, job_row`,
  );

/** Schemas of which something waits for a screen, or waited when this batch began. */
export const groupsWithoutZone = (generation: number): string => `
  SELECT DISTINCT network_id AS network, vendor, schema_version AS schemaVersion
  FROM ${generationTable(quarantine, generation)} FINAL
  WHERE network_id IN {networks:Array(UInt64)} AND notEmpty(screens)
  AND (state = 'waiting' OR tried_pos > {after:UInt64})`;

/** The plays a page of released events became. */
export const releasedPlays = (generation: number): string => `
  SELECT network_id, vendor, event_id FROM ${generationTable(quarantine, generation)}
  WHERE network_id = {network:UInt64} AND vendor = {vendor:String} AND schema_version = {schemaVersion:String}
  AND pos > {from:UInt64} AND pos <= {to:UInt64}
  AND state = 'released' AND tried_pos > {after:UInt64} AND tried_pos <= {upTo:UInt64}`;

/** An event of the quarantine, as its row has it. */
export interface WaitingEvent {
  readonly sent: SentEvent;
  readonly waiting: Waiting;
  /** Where it was tried last and something changed. */
  readonly triedAt: AppliedAt;
  /** Where this batch released it in an earlier life; undefined while it waits. */
  readonly released: AppliedAt | undefined;
}

/** Positions after `from`, up to and including `to`. */
interface Page {
  readonly from: bigint;
  readonly to: bigint;
  readonly events: readonly WaitingEvent[];
}

interface Stored {
  readonly position: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
  readonly tried_position: string;
  readonly tried_ms: number;
  readonly state: 'waiting' | 'released';
  readonly event_id: string;
  readonly code: MappingFailureCode;
  readonly reason: string;
  readonly screens: readonly string[];
  readonly raw: string;
  readonly max_age_days: number | null;
  readonly job_id: string;
  readonly job_row: number;
}

const most = 5_000;
const mostBytes = 8_000_000;

const triedAt = (row: Stored): AppliedAt => ({ position: BigInt(row.tried_position), atMs: row.tried_ms });

const waitingEvent = ({ network, vendor, schemaVersion }: Group, row: Stored): WaitingEvent => ({
  sent: {
    source: {
      network_id: network,
      vendor,
      pos: BigInt(row.position),
      received_at: row.received_ms,
      recorded_at: row.recorded_ms,
    },
    schemaVersion,
    event: JSON.parse(row.raw),
    maxAgeDays: row.max_age_days ?? undefined,
    jobId: row.job_id,
    jobRow: row.job_row,
  },
  waiting: { code: row.code, reason: row.reason, eventId: row.event_id, screens: row.screens },
  triedAt: triedAt(row),
  released: row.state === 'released' ? triedAt(row) : undefined,
});

/** Up to where a page goes: as many events as fit, one at least. */
const endOf = (sizes: readonly { position: string; raw_bytes: number }[]): bigint => {
  let bytes = 0;
  const over = sizes.findIndex(({ raw_bytes }) => (bytes += raw_bytes) > mostBytes);
  return BigInt(sizes[over < 0 ? sizes.length - 1 : Math.max(0, over - 1)]!.position);
};

/** The events of a group that may be tried again, page by page: all, or those that wait for one of the screens. */
export async function* waitingPages(
  steps: BatchSession,
  range: BatchRange,
  group: Group,
  screens?: readonly string[],
): AsyncGenerator<Page> {
  const { generation } = steps;
  const [after, upTo] = [range.after.toString(), range.upTo.toString()];
  const of = { ...group, every: screens ? 0 : 1, screens: screens ?? [], after, upTo };
  for (let from = 0n; ;) {
    const where = { ...of, from: from.toString(), to: upTo };
    const sizes = await steps.rows<{ position: string; raw_bytes: number }>(candidateSizes(generation), {
      ...where,
      most,
    });
    if (sizes.length === 0) return;
    const to = endOf(sizes);
    const rows = await steps.rows<Stored>(candidateEvents(generation), { ...where, to: to.toString() });
    yield { from, to, events: rows.map((row) => waitingEvent(group, row)) };
    from = to;
  }
}
