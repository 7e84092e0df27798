import { maxUnresolved, type VendorSummary } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import { instantSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import { jsonResponse, parseQuery, type Route } from '@popsvc/http-kit/server';
import { SummaryQuery, summaryRead } from '@popsvc/http-kit/vendor-reads';
import { type ReferenceSources, readUnknownReferences } from '@popsvc/read-models/queries';
import { coffee, plays, screenPlaces, vendorBalance } from '@popsvc/read-models/tables';
import { dataAsOfHeader } from '../generations/live-generations.ts';
import { rowsOfNetwork } from '../scope/network-rows.ts';
import { requireVendor, rowsOfVendor, type VendorScope } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';

/** `hour_ms`: start of the hour, ms since 1970. */
interface HourRow {
  readonly hour_ms: number;
  readonly received: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly conflict: number;
  readonly quarantined: number;
}

/** Ms since 1970. */
interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const queryHours = (vendor: VendorScope, window: Window): Sql => {
  const firstHourMs = Math.floor(window.fromMs / hourMs) * hourMs;
  const isInWindow = sql`(hour >= ${instantSql(firstHourMs)} AND hour < ${instantSql(window.toMs)})`;
  return sql`
SELECT toUnixTimestamp64Milli(hour) AS hour_ms, received, stored, duplicate, conflict, quarantined
FROM ${rowsOfVendor(vendorBalance, vendor, [isInWindow])}
ORDER BY hour_ms`;
};

const referenceSourcesOf = (vendor: VendorScope, { fromMs, toMs }: Window): ReferenceSources => ({
  coffee: rowsOfVendor(coffee, vendor, [sql`ts >= ${instantSql(fromMs)}`, sql`ts < ${instantSql(toMs)}`]),
  screenPlaces: rowsOfNetwork(screenPlaces, vendor.network),
  playsWhere: (condition) => rowsOfVendor(plays, vendor, [condition]),
});

export const summaryRoute = ({ shardOf }: { readonly shardOf: ShardOf }): Route => ({
  ...summaryRead,
  async handle({ query, principal, signal }) {
    const { to = Date.now(), from = to - dayMs } = parseQuery(SummaryQuery, query);
    const vendor = requireVendor(principal);
    const { reader, readProgress } = shardOf(vendor.network);
    const progress = await readProgress('coffee');
    const window = { fromMs: from, toMs: to };
    const [hours, { references, total }] = await Promise.all([
      reader.rows<HourRow>(queryHours(vendor, window), { signal }),
      readUnknownReferences(reader, referenceSourcesOf(vendor, window), { limit: maxUnresolved, signal }),
    ]);
    const summary: VendorSummary = {
      status: true,
      message: 'summary retrieved',
      data: {
        hours: hours.map(({ hour_ms, ...counts }) => ({ hour: instantOf(hour_ms), ...counts })),
        unresolved: references.map(({ field, value, count, last_received_ms }) => ({
          field,
          value,
          count,
          last_received_at: instantOf(last_received_ms),
        })),
        unresolved_count: total,
      },
    };
    return jsonResponse(200, summary, dataAsOfHeader(progress));
  },
});
