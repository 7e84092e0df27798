import { coffee, plays, quarantine } from '@popsvc/read-models/tables';
import { bind, type Sql, sql, currentRows, type TableDefinition } from '@popsvc/platform/clickhouse';
import { classifyReceipts } from '@popsvc/read-models/queries';
import { ofNetwork } from './of-network.ts';

/** An event as its vendor names it; network and vendor are those of the API key. */
export interface EventAsked {
  readonly network: number;
  readonly vendor: string;
  readonly eventId: string;
  /** Of the tables of coffee; without it, the live one. */
  readonly generation?: number | undefined;
}

const of = (table: Pick<TableDefinition, 'name'>, asked: EventAsked, conditions = its(asked)): Sql =>
  ofNetwork(table, asked.network, conditions, currentRows(table, asked.generation));

const its = ({ vendor, eventId }: EventAsked): readonly Sql[] => [
  sql`vendor = ${bind('String', vendor)}`,
  sql`event_id = ${bind('String', eventId)}`,
];

/** The first receipts that are plays, in the order of the log; each row also tells how many there are in all, and how many conflicts. */
export const playReceiptsQuery = (asked: EventAsked, limit: number): Sql => sql`
SELECT toString(pos) AS position, toUnixTimestamp64Milli(received_at) AS received_ms,
  toUnixTimestamp64Milli(recorded_at) AS recorded_ms, late, clock_ahead, outcome,
  toUnixTimestamp64Milli(played_at) AS played_ms, duration_ms, screen_id, campaign_ref, creative_ref, play_reason,
  schema_version, job_id, job_row,
  count() OVER () AS total, countIf(outcome = 'conflict') OVER () AS conflicts
FROM (${classifyReceipts(of(plays, asked))})
ORDER BY pos LIMIT ${bind('UInt64', limit)}`;

/** The first receipts that are or were in quarantine, in the order of the log, and how many still wait. */
export const quarantinedReceiptsQuery = (asked: EventAsked, limit: number): Sql => sql`
SELECT toString(pos) AS position, toUnixTimestamp64Milli(received_at) AS received_ms,
  toUnixTimestamp64Milli(recorded_at) AS recorded_ms, state, code, reason, schema_version, job_id, job_row,
  toUnixTimestamp64Milli(tried_at) AS tried_ms, countIf(state = 'waiting') OVER () AS waiting
FROM ${of(quarantine, asked)}
ORDER BY pos LIMIT ${bind('UInt64', limit)}`;

/** The rows of the report that the play went into, as one row; found by its start, which leads the sort key. */
export const coffeeOfPlayQuery = (asked: EventAsked): Sql => sql`
SELECT count() AS coffee_rows, arraySort(groupUniqArray(pop_type)) AS pop_types,
  max(device_id) AS device_id, max(site_id) AS site_id, toUnixTimestamp64Milli(maxOrNull(projected_at)) AS projected_ms
FROM ${of(coffee, asked, [sql`ts = (SELECT argMinOrNull(played_at, pos) FROM ${of(plays, asked)})`, ...its(asked)])}`;
