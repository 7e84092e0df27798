import { heartbeats } from '@popsvc/contracts/tables';
import type { Span } from '@popsvc/domain/spans';
import { silenceMs } from '@popsvc/domain/uptime';
import { bind, type Sql, sql } from '@popsvc/platform/read-store';
import { instant, ofNetwork } from './of-network.ts';

/** An app on a device; network and device are those of a proven scope. */
export interface AppOnDevice {
  readonly network: number;
  readonly deviceId: number;
  readonly appCode: string;
}

/** Runs from which end of a stretch, and at most how many. */
export interface RunsWanted {
  readonly end: 'first' | 'last';
  readonly limit: number;
}

/**
 * The heartbeats of a stretch as runs, in one row: of each run when it begins, whether it is of the state stopped, and the
 * heartbeat before it; `last_ms` is the last heartbeat of all. The domain's runsOf is the specification. They are reduced
 * here, since a year of heartbeats is half a million.
 */
export const beatRunsQuery = (
  { network, deviceId, appCode }: AppOnDevice,
  { from, to }: Span,
  { end, limit }: RunsWanted,
): Sql => sql`
SELECT groupArray((ms, stopped, before)) AS runs, max(last) AS last_ms
FROM (
  SELECT ms, stopped, before, last
  FROM (
    SELECT ms, stopped, max(ms) OVER () AS last, lagInFrame(ms) OVER (ORDER BY ms) AS before,
      before = 0 OR ms - before > ${bind('Int64', silenceMs)} OR stopped != lagInFrame(stopped) OVER (ORDER BY ms) AS begins
    FROM (
      SELECT toUnixTimestamp64Milli(at) AS ms, max(state = 'stopped') AS stopped
      FROM ${ofNetwork(heartbeats, network, [
        sql`device_id = ${bind('UInt64', deviceId)}`,
        sql`feeder_id = 0`,
        sql`app = ${bind('String', appCode)}`,
        sql`at >= ${instant(from)}`,
        sql`at < ${instant(to)}`,
      ])}
      GROUP BY ms
    )
  )
  WHERE begins
  ORDER BY ms ${end === 'first' ? sql`ASC` : sql`DESC`} LIMIT ${bind('UInt64', limit)}
)`;
