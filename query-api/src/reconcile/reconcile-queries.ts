import { lastSequenceAt } from '@popsvc/contracts/events';
import { bind, currentRows, instantSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import { plays, receipts } from '@popsvc/read-models/tables';
import type { GenerationProgress } from '../generations/live-generations.ts';
import { rowsOfVendor, type VendorScope } from '../scope/vendor.ts';

/** A vendor's plays that begin in [fromMs, toMs), ms since 1970. */
export interface PlaySelection {
  readonly vendor: VendorScope;
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * Queries read only plays up to the position of this progress, so that all queries of a request agree. If undefined, they read all plays.
   */
  readonly progress: GenerationProgress | undefined;
}

const isRead = ({ progress }: Pick<PlaySelection, 'progress'>): Sql | undefined =>
  progress && sql`pos <= ${bind('UInt64', lastSequenceAt(progress.position).toString())}`;

/** The service refuses plays that begin later than this after their receipt. */
const maxAheadMs = 86_400_000;
const hourMs = 3_600_000;

/** Excludes receipts that repeat an id with the same content (duplicates) or with another (conflicts). */
const storedPlays = (selection: PlaySelection): Sql => {
  const { vendor, fromMs, toMs, progress } = selection;
  const firstHourMs = Math.floor((fromMs - maxAheadMs) / hourMs) * hourMs;
  const repeated = rowsOfVendor(
    receipts,
    vendor,
    [sql`hour >= ${instantSql(firstHourMs)}`, sql`outcome IN ('duplicate', 'conflict')`],
    currentRows(receipts, progress?.generation),
  );
  return rowsOfVendor(
    plays,
    vendor,
    [
      sql`(played_at >= ${instantSql(fromMs)} AND played_at < ${instantSql(toMs)})`,
      isRead(selection),
      sql`pos NOT IN (SELECT pos FROM ${repeated})`,
    ],
    currentRows(plays, progress?.generation),
  );
};

/** `hour_ms`: start of the hour, ms since 1970. */
export interface StoredCount {
  readonly screen_id: string;
  readonly hour_ms: number;
  readonly stored: number;
}

export const queryStoredCounts = (selection: PlaySelection, limit: number): Sql => sql`
SELECT screen_id, toUnixTimestamp64Milli(toDateTime64(toStartOfHour(played_at), 3, 'UTC')) AS hour_ms, count() AS stored
FROM ${storedPlays(selection)}
GROUP BY screen_id, hour_ms LIMIT ${bind('UInt64', limit)}`;

export interface StoredPlay {
  readonly event_id: string;
  /** SHA-256 in hexadecimal digits. */
  readonly content_hash: string;
  readonly played_ms: number;
}

/** Includes plays outside the window. If an id was received several times, the first receipt counts. */
export const queryPlaysById = (selection: PlaySelection, eventIds: readonly string[]): Sql => sql`
SELECT event_id, lower(hex(argMin(content_hash, pos))) AS content_hash,
  toUnixTimestamp64Milli(argMin(played_at, pos)) AS played_ms
FROM ${rowsOfVendor(
  plays,
  selection.vendor,
  [sql`event_id IN ${bind('Array(String)', eventIds)}`, isRead(selection)],
  currentRows(plays, selection.progress?.generation),
)}
GROUP BY event_id`;

export const queryPlayCount = (selection: PlaySelection): Sql =>
  sql`SELECT count() AS total FROM ${storedPlays(selection)}`;

export const queryPlayIds = (selection: PlaySelection, limit: number): Sql => sql`
SELECT event_id FROM ${storedPlays(selection)} ORDER BY event_id LIMIT ${bind('UInt64', limit)}`;
