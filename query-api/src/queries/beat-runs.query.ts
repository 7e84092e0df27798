import { heartbeats } from '@popsvc/read-models/tables';
import type { Span } from '@popsvc/domain/spans';
import { appSilenceMs } from '@popsvc/domain/uptime';
import { bind, type Sql, sql, currentRows } from '@popsvc/platform/clickhouse';
import { instantSql, ofNetwork } from './of-network.ts';

/** An app on a device; network and device are those of a proven scope. */
export interface AppOnDevice {
  readonly network: number;
  readonly deviceId: number;
  readonly appCode: string;
  /** Of the tables of uptime; without it, the live one. */
  readonly generation?: number | undefined;
}

/** Runs from which end of a stretch, and at most how many. */
export interface RunsWanted {
  readonly end: 'first' | 'last';
  readonly limit: number;
}

/**
 * The heartbeats of a stretch as runs, in one row; the domain's runsOf is the specification. They are reduced here, since a
 * year of heartbeats is half a million, and as arrays, since window functions take four times as long. A heartbeat is one
 * number, twice its milliseconds and one more when it says stopped: `starts` are those that begin a run, `befores` the ones
 * before those, `last` is the last of all.
 */
export const beatRunsQuery = (
  { network, deviceId, appCode, generation }: AppOnDevice,
  { from, to }: Span,
  { end, limit }: RunsWanted,
): Sql => sql`
WITH
  arrayCompact(arraySort(groupArray(2 * toUnixTimestamp64Milli(at) + (state = 'stopped')))) AS told,
  arrayFilter((beat, next) -> beat % 2 = 1 OR next != beat + 1, told, arrayPopFront(arrayPushBack(told, 0))) AS beats,
  arrayPopBack(arrayPushFront(beats, 0)) AS ones_before,
  arrayMap((beat, before) -> beat % 2 != before % 2 OR beat - before > ${bind('Int64', 2 * appSilenceMs)}, beats, ones_before) AS begins
SELECT
  ${cut(sql`arrayFilter((beat, is_first) -> is_first, beats, begins)`, end, limit)} AS starts,
  ${cut(sql`arrayFilter((before, is_first) -> is_first, ones_before, begins)`, end, limit)} AS befores,
  beats[-1] AS last
FROM ${ofNetwork(heartbeats, network, [sql`device_id = ${bind('UInt64', deviceId)}`, sql`feeder_id = 0`, sql`app = ${bind('String', appCode)}`, sql`at >= ${instantSql(from)}`, sql`at < ${instantSql(to)}`], currentRows(heartbeats, generation))}`;

const cut = (items: Sql, end: RunsWanted['end'], limit: number): Sql =>
  sql`arraySlice(${items}, ${end === 'first' ? sql`1, ${bind('UInt64', limit)}` : bind('Int64', -limit)})`;
