import { ApiError } from '@popsvc/contracts/errors';
import type { EventStatusReport } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import { bind, currentRows, limitedTo, sql } from '@popsvc/platform/clickhouse';
import { jsonResponse, noParameters, parseQuery, type Route } from '@popsvc/http-kit/server';
import { type Postgres, readExhaustedNetworks } from '@popsvc/platform/postgres';
import { eventStatusRead } from '@popsvc/http-kit/vendor-reads';
import { readStoredEvents, type StoredEvent, type StoredReceipt } from '@popsvc/read-models/queries';
import { screenPlaces } from '@popsvc/read-models/tables';
import { dataAsOfHeader, findPendingAsOfMs } from '../generations/live-generations.ts';
import { rowsOfNetwork } from '../scope/network-rows.ts';
import { requireVendor, rowsOfVendor } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';

const unknownEvent =
  'There is no event with this id. Events of the last seconds may not be projected yet: X-Data-As-Of is the time up to which ' +
  'all received events are. An event in a schema of your own has an id only after a mapping has read it.';

/** Only the vendor that sent the event can read the status. */
export const eventStatusRoute = ({
  shardOf,
  postgres,
}: {
  readonly shardOf: ShardOf;
  readonly postgres: Postgres;
}): Route => ({
  ...eventStatusRead,
  async handle({ params, query, principal, signal }) {
    parseQuery(noParameters, query);
    const eventId = params['eventId'] ?? '';
    const vendor = requireVendor(principal);
    const { network } = vendor;
    const { shard, reader, pinGenerations } = shardOf(network);
    return pinGenerations(['coffee'], async ({ coffee: progress }) => {
      const headers = dataAsOfHeader(progress, [network]);
      const isEvent = sql`event_id = ${bind('String', eventId)}`;
      const places = limitedTo(
        { network, fromMs: -Infinity, toMs: Infinity },
        currentRows(screenPlaces, progress?.generation),
      );
      const isWaiting = async () =>
        progress !== undefined &&
        findPendingAsOfMs(progress, network) !== undefined &&
        (await readExhaustedNetworks(postgres, shard.of)).some((exhausted) => exhausted.network === network);
      const [[event], isBudgetExhausted] = await Promise.all([
        readStoredEvents(
          reader,
          {
            rowsOf: (table, condition) =>
              rowsOfVendor(table, vendor, [condition, isEvent], currentRows(table, progress?.generation)),
            screenPlacesWhere: (condition) => rowsOfNetwork(screenPlaces, network, [condition], places),
          },
          signal,
        ),
        isWaiting(),
      ]);
      if (!event) throw new ApiError('NOT_FOUND', unknownEvent, { headers });
      const waiting = isBudgetExhausted && event.status === 'accepted' && { waiting: 'derived_row_budget' };
      return jsonResponse(200, { ...renderEvent(eventId, event), ...waiting }, headers);
    });
  },
});

const renderEvent = (eventId: string, { status, counts, receipts, play, coffee }: StoredEvent): EventStatusReport => ({
  eventId,
  status,
  counts,
  receipts: receipts.map(renderReceipt),
  ...(play && {
    play: {
      playedAt: instantOf(play.played_ms),
      durationMs: play.duration_ms,
      screenId: play.screen_id,
      campaignId: play.campaign_ref,
      creativeId: play.creative_ref,
      playReason: play.play_reason,
      contentHash: play.content_hash_hex,
      deviceId: coffee?.device_id || null,
      siteId: coffee?.site_id || null,
    },
  }),
  unresolved: [...(play?.unresolved ?? [])],
  coffeeRows: coffee?.coffee_rows ?? 0,
  popTypes: [...(coffee?.pop_types ?? [])],
  projectedAt: coffee ? instantOf(coffee.projected_ms) : null,
});

const renderReceipt = ({
  sequence: _,
  quarantined,
  origin: { schema_version, job_id, job_row },
  ...receipt
}: StoredReceipt): EventStatusReport['receipts'][number] => ({
  ...receipt,
  ...(quarantined &&
    (receipt.outcome === 'quarantined'
      ? { code: quarantined.code, reason: quarantined.reason }
      : { releasedAt: instantOf(quarantined.tried_ms) })),
  ...(schema_version !== '' && { schemaVersion: schema_version }),
  ...(job_id !== '' && { jobId: job_id, row: job_row }),
});
