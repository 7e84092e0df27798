import { shownContentCharacters, type VendorQuarantine } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import { bind, sql } from '@popsvc/platform/clickhouse';
import { jsonResponse, parseQuery, type Route, sequencePages } from '@popsvc/http-kit/server';
import { QuarantineQuery, quarantineRead } from '@popsvc/http-kit/vendor-reads';
import {
  type QuarantinedEventRow,
  quarantinedEventsQuery,
  type QuarantineReasonRow,
  quarantineReasonsQuery,
} from '@popsvc/read-models/queries';
import { quarantine } from '@popsvc/read-models/tables';
import { dataAsOfHeader } from '../generations/live-generations.ts';
import { requireVendor, rowsOfVendor } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';

export const vendorQuarantineRoute = ({ shardOf }: { readonly shardOf: ShardOf }): Route => ({
  ...quarantineRead,
  async handle({ query, principal, signal }) {
    const { schema_version: schemaVersion, job_id: jobId, limit, before } = parseQuery(QuarantineQuery, query);
    const vendor = requireVendor(principal);
    const conditions = [
      sql`state = 'waiting'`,
      schemaVersion === undefined ? undefined : sql`schema_version = ${bind('String', schemaVersion)}`,
      jobId === undefined ? undefined : sql`job_id = ${bind('String', jobId)}`,
    ];
    const waiting = rowsOfVendor(quarantine, vendor, conditions);
    const ofPage = rowsOfVendor(quarantine, vendor, [
      ...conditions,
      before && sql`pos < ${bind('UInt64', before.sequence)}`,
    ]);
    const { reader, readProgress } = shardOf(vendor.network);
    const progress = await readProgress('coffee');
    const [reasons, found] = await Promise.all([
      reader.rows<QuarantineReasonRow>(quarantineReasonsQuery(waiting), { signal }),
      reader.rows<QuarantinedEventRow>(quarantinedEventsQuery(ofPage, limit, shownContentCharacters), { signal }),
    ]);
    const { rows, next } = sequencePages.cutPage(found, limit);
    const page: VendorQuarantine = {
      status: true,
      message: 'quarantined events retrieved',
      data: {
        reasons: reasons.map(renderReason),
        count: rows.length,
        rows: rows.map(renderEvent),
        next_before: next,
      },
    };
    return jsonResponse(200, page, dataAsOfHeader(progress));
  },
});

const renderReason = (row: QuarantineReasonRow): VendorQuarantine['data']['reasons'][number] => ({
  schemaVersion: row.schema_version,
  code: row.code,
  count: row.events,
  latestReason: row.latest_reason,
  oldestReceivedAt: instantOf(row.oldest_ms),
  newestReceivedAt: instantOf(row.newest_ms),
});

const renderEvent = (row: QuarantinedEventRow): VendorQuarantine['data']['rows'][number] => ({
  receivedAt: instantOf(row.received_ms),
  schemaVersion: row.schema_version,
  eventId: row.event_id || null,
  code: row.code,
  reason: row.reason,
  ...(row.job_id !== '' && { jobId: row.job_id, row: row.job_row }),
  content: row.content,
});
