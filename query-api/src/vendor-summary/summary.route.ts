import { maxUnresolved, type VendorSummary } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import { jsonResponse, parseQuery, type Route } from '@popsvc/platform/http';
import { SummaryQuery, summaryRead } from '@popsvc/platform/vendor-reads';
import { readUnknownReferences } from '@popsvc/read-models/queries';
import { dataAsOfHeader } from '../generations/live-generations.ts';
import { requireVendor } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';
import { type HourRow, queryHours, referenceSourcesOf } from './summary-queries.ts';

const dayMs = 86_400_000;

/** `GET /popsvc/v1/pop/summary`: the events of a vendor by hour of receipt and outcome, and the unknown ids in its plays. */
export const summaryRoute = ({ shardOf }: { readonly shardOf: ShardOf }): Route => ({
  ...summaryRead,
  async handle({ query, principal, signal }) {
    const { to = Date.now(), from = to - dayMs } = parseQuery(SummaryQuery, query);
    const vendor = requireVendor(principal);
    const { reader, readProgress } = shardOf(vendor.network);
    const progress = await readProgress('coffee');
    const window = { fromMs: from, toMs: to };
    const [hours, unresolved] = await Promise.all([
      reader.rows<HourRow>(queryHours(vendor, window), { signal }),
      readUnknownReferences(reader, referenceSourcesOf(vendor, window), { limit: maxUnresolved, signal }),
    ]);
    const summary: VendorSummary = {
      status: true,
      message: 'summary retrieved',
      data: {
        hours: hours.map(({ hour_ms, ...counts }) => ({ hour: instantOf(hour_ms), ...counts })),
        unresolved: unresolved.map(({ field, value, count, last_received_ms }) => ({
          field,
          value,
          count,
          last_received_at: instantOf(last_received_ms),
        })),
      },
    };
    return jsonResponse(200, summary, dataAsOfHeader(progress));
  },
});
