import { withEnvelope } from '@popsvc/contracts/responses';
import { allowCompression, rawResponse, type Route } from '@popsvc/platform/http';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import type { Clock } from '@popsvc/platform/runtime';
import { z } from 'zod';
import { statusesAsked, statusQuerySchema } from '../asked/index.ts';
import { statusQueries } from '../queries/index.ts';
import { asOfHeader, type Pinned } from '../reports/index.ts';
import { networkHeader, type Scope } from '../scope/index.ts';
import { statusList, type Watched } from '../status/index.ts';

export interface StatusParts {
  readonly reader: ClickHouseReader;
  readonly scope: Scope;
  readonly pinned: Pinned;
  readonly clock: Clock;
}

/** All devices or feeders of the caller's networks. The rows pass through as the store writes them. */
export const statusListRoute = (
  { kind, plural, schema, operations }: Watched,
  { reader, scope, pinned, clock }: StatusParts,
): Route => ({
  method: 'get',
  path: `/api/v1/${plural}/status`,
  summary: `Which ${plural} are online.`,
  description: 'Of all networks of the credential, or of the one that is named.',
  operationId: operations.list,
  access: 'reporting',
  examples: [
    { name: 'all' },
    {
      name: 'ofPlaces',
      query: { site_id: [11, 12], location_id: [21] },
      headers: { 'X-Network-Name': 'Demo network' },
    },
  ],
  schemas: {
    query: statusQuerySchema,
    headers: networkHeader,
    responses: { 200: withEnvelope(z.object({ count: z.int().min(0), rows: z.array(schema) })) },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS'],
  async handle(asked) {
    const places = statusesAsked(asked);
    const networks = await scope.networksOf(asked);
    await scope.requirePlaces(networks, places);
    return pinned(['status', 'registry'], async ({ status, registry }) => {
      const from = { status: status?.generation, registry: registry?.generation };
      const query = statusQueries[kind]({ networks, ...places, ...from }, clock.now());
      const { rows, count } = statusList(await reader.lines(query, { signal: asked.signal }));
      const head = `{"status":true,"message":"${kind} status retrieved","data":{"count":${count},"rows":[`;
      const content = Buffer.concat([Buffer.from(head), rows, Buffer.from(']}}')]);
      return allowCompression(rawResponse(200, 'application/json; charset=utf-8', content, asOfHeader(status)));
    });
  },
});
