import { ApiError } from '@popsvc/contracts/errors';
import { EventPathParams, EventStatusReport, maxListedReceipts } from '@popsvc/contracts/responses';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { z } from 'zod';
import { Parameters } from '../asked/index.ts';
import { type CoffeeOfPlay, eventFeedback, type PlayReceipt, type QuarantinedReceipt } from '../feedback/index.ts';
import { coffeeOfPlayQuery, type EventAsked, playReceiptsQuery, quarantinedReceiptsQuery } from '../queries/index.ts';
import { asOfHeader, type Pinned } from '../reports/index.ts';

export interface FeedbackParts {
  readonly reader: ClickHouseReader;
  readonly pinned: Pinned;
}

const unknown =
  'Nothing is known of an event of this id. What was sent in the last seconds may not be projected yet (X-Data-As-Of tells ' +
  'until when everything received is); an event in a schema of your own is known by its id once a mapping tells the id.';

/**
 * What became of an event: for the vendor of the API key alone, in its network. Vendors ask command-api, which passes it on:
 * this is the service that reads.
 */
export const eventFeedbackRoute = ({ reader, pinned }: FeedbackParts): Route => ({
  method: 'get',
  path: '/popsvc/v1/pop/events/:eventId',
  summary: 'What became of an event: how often it was received, what each receipt counts as, and where it is reported.',
  operationId: 'getEventStatus',
  access: 'ingest',
  examples: [{ name: 'anEvent', params: { eventId: 'demo-play-1' } }],
  schemas: {
    params: EventPathParams,
    query: z.strictObject({}),
    responses: { 200: EventStatusReport },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query, principal, signal }) {
    new Parameters(query, []).settle();
    // Nobody else gets past the door of an `ingest` route.
    if (principal?.kind !== 'api-key') throw new ApiError('UNAUTHORIZED');
    const eventId = params['eventId'] ?? '';
    const { network, vendor } = principal;
    return pinned(['coffee'], async ({ coffee: written }) => {
      const asked: EventAsked = { network, vendor, eventId, generation: written?.generation };
      const [plays, quarantined, [coffee]] = await Promise.all([
        reader.rows<PlayReceipt>(playReceiptsQuery(asked, maxListedReceipts), { signal }),
        reader.rows<QuarantinedReceipt>(quarantinedReceiptsQuery(asked, maxListedReceipts), { signal }),
        reader.rows<CoffeeOfPlay>(coffeeOfPlayQuery(asked), { signal }),
      ]);
      const told = eventFeedback(eventId, { plays, quarantined, coffee });
      if (!told) throw new ApiError('NOT_FOUND', unknown, { headers: asOfHeader(written) });
      return jsonResponse(200, told, asOfHeader(written));
    });
  },
});
