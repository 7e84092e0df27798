import { ApiError } from '@popsvc/contracts/errors';
import { maxListedReceipts } from '@popsvc/contracts/responses';
import { jsonResponse, noParameters, parseQuery, type Route } from '@popsvc/platform/http';
import { type Postgres, readExhaustedNetworks } from '@popsvc/platform/postgres';
import { eventStatusRead } from '@popsvc/platform/vendor-reads';
import { dataAsOfHeader, findPendingAsOfMs } from '../generations/live-generations.ts';
import { requireVendor } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';
import {
  type PlayInCoffee,
  type PlayReceipt,
  type QuarantinedReceipt,
  queryPlayInCoffee,
  queryPlayReceipts,
  queryQuarantinedReceipts,
} from './event-queries.ts';
import { createEventStatusReport } from './event-status-report.ts';

const unknownEvent =
  'There is no event with this id. Events of the last seconds may not be projected yet: X-Data-As-Of is the time up to which ' +
  'all received events are. An event in a schema of your own has an id only after a mapping has read it.';

/** `GET /popsvc/v1/pop/events/:eventId`: the status of an event. Only the vendor that sent the event can read it. */
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
    const { network, vendor } = requireVendor(principal);
    const { shard, reader, pinGenerations } = shardOf(network);
    return pinGenerations(['coffee'], async ({ coffee: progress }) => {
      const event = { network, vendor, eventId, generation: progress?.generation };
      const headers = dataAsOfHeader(progress, [network]);
      const isWaiting = async () =>
        progress !== undefined &&
        findPendingAsOfMs(progress, network) !== undefined &&
        (await readExhaustedNetworks(postgres, shard.of)).some((exhausted) => exhausted.network === network);
      const [plays, quarantined, [coffee], isBudgetExhausted] = await Promise.all([
        reader.rows<PlayReceipt>(queryPlayReceipts(event, maxListedReceipts), { signal }),
        reader.rows<QuarantinedReceipt>(queryQuarantinedReceipts(event, maxListedReceipts), { signal }),
        reader.rows<PlayInCoffee>(queryPlayInCoffee(event), { signal }),
        isWaiting(),
      ]);
      const report = createEventStatusReport(eventId, { plays, quarantined, coffee, isBudgetExhausted });
      if (!report) throw new ApiError('NOT_FOUND', unknownEvent, { headers });
      return jsonResponse(200, report, headers);
    });
  },
});
