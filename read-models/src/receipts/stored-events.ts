import {
  type EventStatus,
  maxListedReceipts,
  type PlayReference,
  type ReceiptOutcome,
} from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import type { PlayReason, PopType, QuarantineCode } from '@popsvc/contracts/vocabulary';
import { bind, type ClickHouseReader, type Sql, sql, type TableDefinition } from '@popsvc/platform/clickhouse';
import { coffee } from '../coffee/coffee.table.ts';
import { plays } from '../facts/facts.tables.ts';
import { unresolvedFields } from '../registry/unknown-references.ts';
import { classifyReceipts, quarantine } from './receipts.tables.ts';

export interface EventSources {
  /** The rows of a table that have the event id and fulfill the condition. */
  readonly rowsOf: (table: Pick<TableDefinition, 'name'>, condition?: Sql) => Sql;
  /** The rows of `screen_places` that fulfill a condition. If it is undefined, `unresolved` of all receipts is empty. */
  readonly screenPlacesWhere?: (condition: Sql) => Sql;
}

interface VendorKey {
  readonly network_id: number;
  readonly vendor: string;
}

/** Times are in ms since 1970. `schema_version` is empty for the canonical schema; job and row are empty or 0 outside bulk files. */
interface ReceiptRow extends VendorKey {
  readonly sequence: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
  readonly schema_version: string;
  readonly job_id: string;
  readonly job_row: number;
}

/** `total`: number of receipts of the play. `conflicts`: number of receipts with other content than the first. */
interface PlayReceipt extends ReceiptRow {
  readonly late: number;
  readonly clock_ahead: number;
  readonly outcome: 'stored' | 'duplicate' | 'conflict';
  readonly played_ms: number;
  readonly duration_ms: number;
  readonly screen_id: string;
  readonly campaign_ref: string;
  readonly creative_ref: string;
  readonly unresolved: readonly PlayReference[];
  readonly play_reason: PlayReason;
  readonly content_hash_hex: string;
  readonly total: number;
  readonly conflicts: number;
}

/** `waiting`: number of receipts of the event that are still in quarantine. */
interface QuarantinedReceipt extends ReceiptRow {
  readonly state: 'waiting' | 'released';
  readonly code: QuarantineCode;
  readonly reason: string;
  readonly tried_ms: number;
  readonly mapping_version: number;
  readonly waiting: number;
}

/** Unknown ids are 0. */
interface PlayInCoffee extends VendorKey {
  readonly coffee_rows: number;
  readonly pop_types: readonly PopType[];
  readonly device_id: number;
  readonly site_id: number;
  readonly projected_ms: number;
}

const receiptColumns = sql`network_id, vendor, toString(pos) AS sequence, toUnixTimestamp64Milli(received_at) AS received_ms,
  toUnixTimestamp64Milli(recorded_at) AS recorded_ms, schema_version, job_id, job_row`;

/** Limit of a query, for all vendors together. */
const maxReceipts = 1_000;

/** Window functions count all receipts, before the limit. */
const firstReceipts = sql`WINDOW same AS (PARTITION BY network_id, vendor)
ORDER BY network_id, vendor, pos
LIMIT ${bind('UInt64', maxListedReceipts)} BY network_id, vendor LIMIT ${bind('UInt64', maxReceipts)}`;

const playReceiptsQuery = ({ rowsOf, screenPlacesWhere }: EventSources): Sql => sql`
SELECT ${receiptColumns}, late, clock_ahead, outcome, toUnixTimestamp64Milli(played_at) AS played_ms, duration_ms, screen_id,
  campaign_ref, creative_ref, play_reason, lower(hex(content_hash)) AS content_hash_hex,
  ${screenPlacesWhere ? unresolvedFields(screenPlacesWhere(sql`screen_id IN (SELECT screen_id FROM ${rowsOf(plays)})`)) : sql`[]`} AS unresolved,
  count() OVER same AS total, countIf(outcome = 'conflict') OVER same AS conflicts
FROM (${classifyReceipts(rowsOf(plays))})
${firstReceipts}`;

const quarantinedReceiptsQuery = ({ rowsOf }: EventSources): Sql => sql`
SELECT ${receiptColumns}, state, code, reason, toUnixTimestamp64Milli(tried_at) AS tried_ms, mapping_version,
  countIf(state = 'waiting') OVER same AS waiting
FROM ${rowsOf(quarantine)}
${firstReceipts}`;

/** The condition on the network and the start of the play makes ClickHouse use the primary index. */
const playInCoffeeQuery = ({ rowsOf }: EventSources): Sql => sql`
SELECT network_id, vendor, count() AS coffee_rows, arraySort(groupUniqArray(pop_type)) AS pop_types,
  max(device_id) AS device_id, max(site_id) AS site_id, max(toUnixTimestamp64Milli(projected_at)) AS projected_ms
FROM ${rowsOf(coffee, sql`(network_id, ts) IN (SELECT network_id, played_at FROM ${rowsOf(plays)})`)}
GROUP BY network_id, vendor`;

export interface StoredReceipt {
  readonly sequence: string;
  readonly receivedAt: string;
  readonly recordedAt: string;
  readonly outcome: ReceiptOutcome;
  readonly late: boolean;
  readonly clockAhead: boolean;
  readonly quarantined: QuarantinedReceipt | undefined;
  readonly origin: Pick<ReceiptRow, 'schema_version' | 'job_id' | 'job_row'>;
}

export interface StoredEvent extends VendorKey {
  readonly status: EventStatus;
  readonly counts: Readonly<Record<ReceiptOutcome | 'received', number>>;
  /** The first `maxListedReceipts` receipts, in log order. */
  readonly receipts: readonly StoredReceipt[];
  /** The first receipt of the play; undefined while all receipts are quarantined. */
  readonly play: PlayReceipt | undefined;
  readonly coffee: PlayInCoffee | undefined;
}

const toStoredReceipt = (row: PlayReceipt | QuarantinedReceipt, quarantined: QuarantinedReceipt | undefined) => ({
  sequence: row.sequence,
  receivedAt: instantOf(row.received_ms),
  recordedAt: instantOf(row.recorded_ms),
  outcome: 'outcome' in row ? row.outcome : ('quarantined' as const),
  late: 'outcome' in row && row.late === 1,
  clockAhead: 'outcome' in row && row.clock_ahead === 1,
  quarantined,
  // Plays that earlier releases projected have no origin, so the row in quarantine comes first.
  origin: quarantined ?? row,
});

/** A receipt that was released from quarantine is in both lists, and appears once in the result, as a play. */
const mergeReceipts = (
  playReceipts: readonly PlayReceipt[],
  quarantined: readonly QuarantinedReceipt[],
): readonly StoredReceipt[] => {
  const quarantinedAt = new Map(quarantined.map((receipt) => [receipt.sequence, receipt]));
  const playSequences = new Set(playReceipts.map(({ sequence }) => sequence));
  const waiting = quarantined.filter(({ sequence, state }) => state === 'waiting' && !playSequences.has(sequence));
  return [...playReceipts, ...waiting]
    .map((row) => toStoredReceipt(row, quarantinedAt.get(row.sequence)))
    .sort((a, b) => (BigInt(a.sequence) < BigInt(b.sequence) ? -1 : 1))
    .slice(0, maxListedReceipts);
};

/** Returns one result for each network and vendor that sent the event id. */
export const readStoredEvents = async (
  reader: ClickHouseReader,
  sources: EventSources,
  signal: AbortSignal,
): Promise<readonly StoredEvent[]> => {
  const [playReceipts, quarantinedReceipts, coffeeRows] = await Promise.all([
    reader.rows<PlayReceipt>(playReceiptsQuery(sources), { signal }),
    reader.rows<QuarantinedReceipt>(quarantinedReceiptsQuery(sources), { signal }),
    reader.rows<PlayInCoffee>(playInCoffeeQuery(sources), { signal }),
  ]);
  const keyOf = ({ network_id, vendor }: VendorKey) => `${network_id}/${vendor}`;
  const vendors = new Map([...playReceipts, ...quarantinedReceipts].map((receipt) => [keyOf(receipt), receipt]));
  return [...vendors].map(([key, { network_id, vendor }]) => {
    const isOfVendor = (row: VendorKey) => keyOf(row) === key;
    const received = playReceipts.filter(isOfVendor);
    const quarantined = quarantinedReceipts.filter(isOfVendor);
    const inCoffee = coffeeRows.find(isOfVendor);
    const [play] = received;
    const { total = 0, conflicts = 0 } = play ?? {};
    const waiting = quarantined[0]?.waiting ?? 0;
    const stored = play ? 1 : 0;
    return {
      network_id,
      vendor,
      status: !play ? 'quarantined' : inCoffee ? 'projected' : 'accepted',
      counts: {
        received: total + waiting,
        stored,
        duplicate: total - stored - conflicts,
        conflict: conflicts,
        quarantined: waiting,
      },
      receipts: mergeReceipts(received, quarantined),
      play,
      coffee: inCoffee,
    };
  });
};
