import type { VendorQuarantine } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import { cutPage, jsonResponse, parseQuery, type Route } from '@popsvc/platform/http';
import { QuarantineQuery, quarantineRead } from '@popsvc/platform/vendor-reads';
import { dataAsOfHeader } from '../generations/live-generations.ts';
import { requireVendor } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';
import { queryReasons, queryWaitingEvents, type ReasonRow, type WaitingEventRow } from './quarantine-queries.ts';

/** `GET /popsvc/v1/pop/quarantine`: a page of a vendor's events and rows of files that wait in quarantine. */
export const vendorQuarantineRoute = ({ shardOf }: { readonly shardOf: ShardOf }): Route => ({
  ...quarantineRead,
  async handle({ query, principal, signal }) {
    const { schema_version: schemaVersion, job_id: jobId, limit, before } = parseQuery(QuarantineQuery, query);
    const selection = { schemaVersion, jobId };
    const vendor = requireVendor(principal);
    const { reader, readProgress } = shardOf(vendor.network);
    const progress = await readProgress('coffee');
    const [reasons, found] = await Promise.all([
      reader.rows<ReasonRow>(queryReasons(vendor, selection), { signal }),
      reader.rows<WaitingEventRow>(queryWaitingEvents(vendor, selection, { limit, before }), { signal }),
    ]);
    const { rows, nextBefore } = cutPage(found, limit);
    const page: VendorQuarantine = {
      status: true,
      message: 'quarantined events retrieved',
      data: {
        reasons: reasons.map(renderReason),
        count: rows.length,
        rows: rows.map(renderEvent),
        next_before: nextBefore,
      },
    };
    return jsonResponse(200, page, dataAsOfHeader(progress));
  },
});

const renderReason = (row: ReasonRow): VendorQuarantine['data']['reasons'][number] => ({
  schemaVersion: row.schema_version,
  code: row.code,
  count: row.events,
  latestReason: row.latest_reason,
  oldestReceivedAt: instantOf(row.oldest_ms),
  newestReceivedAt: instantOf(row.newest_ms),
});

const renderEvent = (row: WaitingEventRow): VendorQuarantine['data']['rows'][number] => ({
  receivedAt: instantOf(row.received_ms),
  schemaVersion: row.schema_version,
  eventId: row.event_id || null,
  code: row.code,
  reason: row.reason,
  ...(row.job_id !== '' && { jobId: row.job_id, row: row.job_row }),
  content: row.content,
});
