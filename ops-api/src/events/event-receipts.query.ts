import { coffee, plays, quarantine } from '@popsvc/read-models/tables';
import { joinWithAnd, bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { classifyReceipts } from '@popsvc/read-models/queries';

/** An event as an operator asks for it: in every network and of every vendor that are not named. */
export interface EventWanted {
  readonly eventId: string;
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
}

/** Of one network and vendor, receipts beyond so many are counted and not listed. */
export const mostReceipts = 100;
/** One id in so many networks at most. */
const mostInAll = 1_000;

const its = ({ eventId, network, vendor }: EventWanted): Sql =>
  joinWithAnd([
    network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    sql`event_id = ${bind('String', eventId)}`,
  ]);

/** What both kinds of receipts have; times in ms since 1970. */
interface ReceiptFound {
  readonly network_id: number;
  readonly vendor: string;
  readonly position: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
}

export interface PlayFound extends ReceiptFound {
  readonly outcome: 'stored' | 'duplicate' | 'conflict';
  readonly late: number;
  readonly clock_ahead: number;
  readonly total: number;
  readonly conflicts: number;
}

export interface QuarantinedFound extends ReceiptFound {
  readonly state: 'waiting' | 'released';
  readonly schema_version: string;
  readonly code: string;
  readonly reason: string;
  readonly tried_ms: number;
  readonly mapping_version: number;
  readonly waiting: number;
}

const receipt = sql`network_id, vendor, toString(pos) AS position, toUnixTimestamp64Milli(received_at) AS received_ms,
  toUnixTimestamp64Milli(recorded_at) AS recorded_ms`;
const first = sql`ORDER BY network_id, vendor, pos
  LIMIT ${bind('UInt64', mostReceipts)} BY network_id, vendor LIMIT ${bind('UInt64', mostInAll)}`;

export const playsFoundQuery = (wanted: EventWanted): Sql => sql`
SELECT ${receipt}, outcome, late, clock_ahead, count() OVER same AS total, countIf(outcome = 'conflict') OVER same AS conflicts
FROM (${classifyReceipts(sql`${liveViewName(plays)} WHERE ${its(wanted)}`)})
WINDOW same AS (PARTITION BY network_id, vendor)
${first}`;

export const quarantinedFoundQuery = (wanted: EventWanted): Sql => sql`
SELECT ${receipt}, state, schema_version, code, reason, toUnixTimestamp64Milli(tried_at) AS tried_ms, mapping_version,
  countIf(state = 'waiting') OVER (PARTITION BY network_id, vendor) AS waiting
FROM ${liveViewName(quarantine)} WHERE ${its(wanted)}
${first}`;

export interface CoffeeFound {
  readonly network_id: number;
  readonly vendor: string;
  readonly rows: number;
  readonly pop_types: readonly string[];
  readonly projected_ms: number;
}

/** The rows of the report that a play went into stand under its start, which leads the sort key. */
export const coffeeFoundQuery = (wanted: EventWanted): Sql => sql`
SELECT network_id, vendor, count() AS rows, arraySort(groupUniqArray(pop_type)) AS pop_types,
  max(toUnixTimestamp64Milli(projected_at)) AS projected_ms
FROM ${liveViewName(coffee)}
WHERE (network_id, ts) IN (SELECT network_id, played_at FROM ${liveViewName(plays)} WHERE ${its(wanted)}) AND ${its(wanted)}
GROUP BY network_id, vendor`;
