import { ApiError } from '@popsvc/contracts/errors';
import { EventPathParams, EventStatusReport, maxListedReceipts } from '@popsvc/contracts/responses';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { jsonResponse, noParameters, parseQuery, type Route } from '@popsvc/platform/http';
import { type Postgres, readExhaustedNetworks } from '@popsvc/platform/postgres';
import { dataAsOfHeader, type PinGenerations } from '../generations/live-generations.ts';
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

/**
 * `GET /popsvc/v1/pop/events/:eventId`: the status of an event. Only the vendor that sent the event can read it. Vendors call
 * command-api, which has no access to the read models and forwards the request to query-api.
 */
export const eventStatusRoute = ({
  reader,
  pinGenerations,
  postgres,
}: {
  readonly reader: ClickHouseReader;
  readonly pinGenerations: PinGenerations;
  readonly postgres: Postgres;
}): Route => ({
  method: 'get',
  path: '/popsvc/v1/pop/events/:eventId',
  summary: 'The status of an event: how often it was received, how each receipt counts, and where it is reported.',
  operationId: 'getEventStatus',
  access: 'ingest',
  examples: [{ name: 'anEvent', params: { eventId: 'demo-play-1' } }],
  schemas: {
    params: EventPathParams,
    query: noParameters,
    responses: { 200: EventStatusReport },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['NOT_FOUND', 'REBUILDING'],
  async handle({ params, query, principal, signal }) {
    parseQuery(noParameters, query);
    // The route declares the access `ingest`, which admits API keys only.
    if (principal?.kind !== 'api-key') throw new ApiError('UNAUTHORIZED');
    const eventId = params['eventId'] ?? '';
    const { network, vendor } = principal;
    return pinGenerations(['coffee'], async ({ coffee: progress }) => {
      const event = { network, vendor, eventId, generation: progress?.generation };
      const headers = dataAsOfHeader(progress, [network]);
      const isWaiting = async () =>
        progress?.pendingAsOfMs.has(network) === true &&
        (await readExhaustedNetworks(postgres)).some((exhausted) => exhausted.network === network);
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
