import { isDeepStrictEqual } from 'node:util';
import { DynamicPopRecorded } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { joinWithAnd, bind, instantSql, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { classifyReceipts } from '@popsvc/read-models/queries';
import { plays, receipts } from '@popsvc/read-models/tables';
import type { RawEvent } from './raw-events.ts';

interface ConflictsFilter {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  /** Earliest time of receipt, ms since 1970; the whole hour that contains it is included. */
  readonly since: number;
  readonly limit: number;
  /** Cursor: only events before this log position. */
  readonly before?: string | undefined;
}

const hourMs = 3_600_000;

const conflictCondition = ({ network, vendor, since, before }: ConflictsFilter): Sql =>
  joinWithAnd([
    sql`outcome = 'conflict'`,
    network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    sql`hour > ${instantSql(since - hourMs)}`,
    before === undefined ? undefined : sql`pos < ${bind('UInt64', before)}`,
  ]);

const newestConflicts = (wanted: ConflictsFilter): Sql => sql`
  SELECT network_id, vendor, event_id, pos FROM ${liveViewName(receipts)} WHERE ${conflictCondition(wanted)}
  ORDER BY pos DESC LIMIT ${bind('UInt64', wanted.limit)}`;

export interface ConflictRow {
  readonly network_id: number;
  readonly vendor: string;
  readonly event_id: string;
  readonly position: string;
  readonly received_ms: number;
  readonly first_position: string;
  readonly first_received_ms: number;
}

/** Receipts whose content differs from the first receipt of the same id, newest first, each with that first receipt. */
export const conflictsQuery = (wanted: ConflictsFilter): Sql => sql`
SELECT network_id, vendor, event_id, toString(pos) AS position, toUnixTimestamp64Milli(received_at) AS received_ms,
  toString(first_pos) AS first_position, toUnixTimestamp64Milli(first_received_at) AS first_received_ms
FROM (
  SELECT *, argMin(received_at, pos) OVER same AS first_received_at
  FROM (${classifyReceipts(sql`${liveViewName(plays)} WHERE (network_id, vendor, event_id) IN
    (SELECT network_id, vendor, event_id FROM (${newestConflicts(wanted)}))`)})
  WINDOW same AS (PARTITION BY network_id, vendor, event_id)
)
WHERE outcome = 'conflict' AND (network_id, vendor, pos) IN (SELECT network_id, vendor, pos FROM (${newestConflicts(wanted)}))
ORDER BY pos DESC`;

type Content = Readonly<Record<string, unknown>>;

/** The content as the vendor sent it, without the fields the service adds. */
const contentOf = (raw: RawEvent | undefined): Content | null => {
  if (!raw) return null;
  return (raw.type === DynamicPopRecorded.type ? (raw.data as DynamicPopRecorded).event : raw.data) as Content;
};

const differingFields = (first: Content, later: Content): string[] =>
  [...new Set([...Object.keys(first), ...Object.keys(later)])].filter(
    (name) => !isDeepStrictEqual(first[name], later[name]),
  );

/** One event uses the canonical schema, the other the vendor's own, so fields cannot be compared. */
const differentSchema = ['(another schema)'];

const findDifferences = (first: RawEvent | undefined, later: RawEvent | undefined): readonly string[] => {
  if (!first || !later) return [];
  if (first.type !== later.type) return differentSchema;
  return differingFields(contentOf(first) ?? {}, contentOf(later) ?? {});
};

/** Converts a conflict row to its response: the first and the later content of one event id. */
export const toConflict = (found: ConflictRow, raws: ReadonlyMap<string, RawEvent>) => {
  const { network_id, vendor, event_id, position, received_ms, first_position, first_received_ms } = found;
  const [first, later] = [raws.get(first_position), raws.get(position)];
  const side = (at: string, receivedMs: number, raw: RawEvent | undefined) => ({
    position: at,
    received_at: instantOf(receivedMs),
    type: raw?.type ?? null,
    content: contentOf(raw),
  });
  return {
    network_id,
    vendor,
    event_id,
    differs: findDifferences(first, later),
    first: side(first_position, first_received_ms, first),
    later: side(position, received_ms, later),
  };
};
