import { Instant, instantOf } from '@popsvc/contracts/time';
import { instantParameter, jsonResponse, parseQuery, type Route } from '@popsvc/http-kit/server';
import { type Postgres, readRefusals } from '@popsvc/platform/postgres';
import { z } from 'zod';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { listLimit, networkIdField, vendorField, vendorFilterParameters } from '../requests/parameters.ts';

const RefusalsResponse = z
  .object({
    since: Instant.describe('Only hours that begin at or after this time.'),
    refusals: z
      .array(
        z.object({
          network_id: networkIdField,
          vendor: vendorField,
          code: z.string().describe('Error code of the responses.'),
          requests: z.int().min(1).describe('Refused requests with this code.'),
          events: z.int().min(1).describe('Events in these requests; a request without a readable list counts as one.'),
          latest_reason: z.string().describe('First problem that the response to the newest of these requests named.'),
          latest_at: Instant.describe('When that request was refused.'),
        }),
      )
      .describe('Most events first.'),
    is_truncated: z.boolean().describe('Whether there are more than `limit`.'),
  })
  .meta({ id: 'Refusals' });

const RefusalsQuery = z.strictObject({
  ...vendorFilterParameters,
  since: instantParameter
    .optional()
    .describe('Only hours that begin at or after this time; default: 24 h ago. Counts are kept for eight days.'),
  limit: listLimit(100),
});

const dayMs = 86_400_000;

export const refusalsRoute = ({ postgres }: { readonly postgres: Postgres }, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/refusals',
  summary: 'Refused requests of vendors by error code, with the newest reason; of the last 24 h by default.',
  description:
    'Counts requests with plays, heartbeats, intervals and detections that got an error response, so that none of their events was ' +
    'stored. Does not include requests without a valid API key, which belong to no vendor, requests with `validate_only`, and rows of bulk files.',
  operationId: 'listRefusals',
  access: 'viewer',
  examples: [{ name: 'ofANetwork', query: { network: 1, limit: 10 } }],
  schemas: { query: RefusalsQuery, responses: { 200: RefusalsResponse } },
  async handle({ query }) {
    const { since = Date.now() - dayMs, limit, ...filter } = parseQuery(RefusalsQuery, query);
    const found = await readRefusals(postgres, { ...filter, fromMs: since, limit: limit + 1 });
    if (found.length === 0) await rejectUnknownFilter(registryLog, filter);
    return jsonResponse(200, {
      since: instantOf(since),
      refusals: found.slice(0, limit).map(({ network, latestReason, latestMs, ...counts }) => ({
        network_id: network,
        ...counts,
        latest_reason: latestReason,
        latest_at: instantOf(latestMs),
      })),
      is_truncated: found.length > limit,
    });
  },
});
