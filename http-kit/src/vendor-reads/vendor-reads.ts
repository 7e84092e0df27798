import { BulkJob } from '@popsvc/contracts/bulk';
import { Reconcile } from '@popsvc/contracts/commands';
import {
  EventPathParams,
  EventStatusReport,
  maxSummaryDays,
  Reconciliation,
  VendorJobs,
  VendorQuarantine,
  VendorSummary,
} from '@popsvc/contracts/responses';
import { z } from 'zod';
import { sequencePages } from '../endpoints/pages.ts';
import { instantParameter, integerParameter, noParameters } from '../endpoints/parameters.ts';
import type { Route } from '../endpoints/route.ts';

/** An endpoint that command-api forwards to query-api, because command-api has no access to the read models. */
export type VendorRead = Omit<Route, 'handle'>;

export const eventStatusRead = {
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
} as const satisfies VendorRead;

const dayMs = 86_400_000;

/** Times in ms since 1970. The handler supplies the defaults. */
export const SummaryQuery = z
  .strictObject({
    from: instantParameter.optional().describe('Start of the window; 24 hours before its end by default.'),
    to: instantParameter
      .optional()
      .describe(`End of the window, excluded; now by default. At most ${maxSummaryDays} days after from.`),
  })
  .superRefine(({ from, to = Date.now() }, context) => {
    if (from === undefined) return;
    if (from >= to) context.addIssue({ code: 'custom', path: ['from'], message: 'must be before to' });
    else if (to - from > maxSummaryDays * dayMs)
      context.addIssue({ code: 'custom', path: ['to'], message: `must be at most ${maxSummaryDays} days after from` });
  });

export const summaryRead = {
  method: 'get',
  path: '/popsvc/v1/pop/summary',
  summary: 'Your events by hour of receipt and outcome, and the unknown ids in your plays.',
  description:
    'Compare `received` with what you sent. `hours` has every UTC hour that overlaps the window and in which the service received ' +
    'plays of yours, by any endpoint or file. `unresolved` covers the plays that start in the window, whenever they were received.',
  operationId: 'getVendorSummary',
  access: 'ingest',
  examples: [
    { name: 'lastDay' },
    { name: 'aWeek', query: { from: '2026-08-17T00:00:00Z', to: '2026-08-24T00:00:00Z' } },
  ],
  schemas: { query: SummaryQuery, responses: { 200: VendorSummary }, responseHeaders: ['X-Data-As-Of'] },
  errorCodes: ['INVALID_PARAM', 'REBUILDING'],
} as const satisfies VendorRead;

const pageParameters = {
  limit: integerParameter(1, 200).default(100).describe('Maximum number of rows of the page.'),
  before: sequencePages.cursor.optional().describe('Continue after a page: its next_before.'),
};

export const JobsQuery = z.strictObject({
  status: BulkJob.shape.status.optional().describe('Only jobs with this status.'),
  ...pageParameters,
});

export const jobsRead = {
  method: 'get',
  path: '/popsvc/v1/pop/jobs',
  summary: 'Your bulk jobs, newest first.',
  operationId: 'listVendorJobs',
  access: 'ingest',
  examples: [{ name: 'newest' }, { name: 'failed', query: { status: 'failed', limit: 10 } }],
  schemas: { query: JobsQuery, responses: { 200: VendorJobs }, responseHeaders: ['X-Data-As-Of'] },
  errorCodes: ['INVALID_PARAM', 'REBUILDING'],
} as const satisfies VendorRead;

export const QuarantineQuery = z.strictObject({
  schema_version: z.string().min(1).max(200).optional().describe('Only events and rows of this schema version.'),
  job_id: z.string().min(1).max(200).optional().describe('Only rows of this bulk job.'),
  ...pageParameters,
});

export const quarantineRead = {
  method: 'get',
  path: '/popsvc/v1/pop/quarantine',
  summary: 'Your events and rows of files that wait in quarantine, with the reasons.',
  description:
    'An event in your own schema waits here while no mapping can convert it to a play. It is stored, and becomes a play as soon as a ' +
    'mapping fits or the screen is registered; do not send it again unchanged. Only a mapping that reads another time can convert an event with the code too_old.',
  operationId: 'listVendorQuarantine',
  access: 'ingest',
  examples: [{ name: 'newest' }, { name: 'ofASchema', query: { schema_version: 'player-3', limit: 10 } }],
  schemas: { query: QuarantineQuery, responses: { 200: VendorQuarantine }, responseHeaders: ['X-Data-As-Of'] },
  errorCodes: ['INVALID_PARAM', 'REBUILDING'],
} as const satisfies VendorRead;

const exampleWindow = { from: '2026-08-20T14:00:00Z', to: '2026-08-20T15:00:00Z' };

export const reconcileRead = {
  method: 'post',
  path: '/popsvc/v1/pop/reconcile',
  summary: 'Compare your plays of a time window with the stored ones.',
  description:
    'Compares either counts by screen and hour, or single plays by id and, if you send it, by the hash of their content. Events in ' +
    'quarantine are not plays yet. Nothing is stored.',
  operationId: 'reconcilePlays',
  access: 'ingest',
  body: 'json',
  maxBytes: 5 * 1_048_576,
  examples: [
    {
      name: 'byCounts',
      body: { ...exampleWindow, counts: [{ screenId: 'demo-screen-1', hour: exampleWindow.from, count: 1 }] },
    },
    { name: 'byEvents', body: { ...exampleWindow, events: [{ eventId: 'demo-play-1' }] } },
  ],
  schemas: {
    query: noParameters,
    body: Reconcile,
    responses: { 200: Reconciliation },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['INVALID_PARAM', 'REBUILDING'],
} as const satisfies VendorRead;

export const vendorReads: readonly VendorRead[] = [
  eventStatusRead,
  summaryRead,
  jobsRead,
  quarantineRead,
  reconcileRead,
];
