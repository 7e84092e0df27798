import { EventPathParams, EventStatusReport } from '@popsvc/contracts/event-status';
import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import type { PassOn } from '../feedback/pass-on.ts';

const queryOf = (query: Readonly<Record<string, string | readonly string[]>>): string => {
  const names = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
  return names.length === 0 ? '' : `?${names.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`;
};

/** What became of an event. This service reads no read model: it asks the one that does, as who asks. */
export const eventFeedbackRoute = (ask: PassOn): Route => ({
  method: 'get',
  path: '/popsvc/v1/pop/events/:eventId',
  summary: 'What became of an event: how often it was received, what each receipt counts as, and where it is reported.',
  operationId: 'getEventFeedback',
  access: 'ingest',
  examples: [{ name: 'anEvent', params: { eventId: 'demo-play-1' } }],
  schemas: {
    params: EventPathParams,
    query: z.strictObject({}),
    responses: { 200: EventStatusReport },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['NOT_FOUND'],
  handle: (asked) =>
    ask(`/popsvc/v1/pop/events/${encodeURIComponent(asked.params['eventId'] ?? '')}${queryOf(asked.query)}`, asked),
});
