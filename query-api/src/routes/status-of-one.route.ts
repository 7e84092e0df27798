import { withEnvelope } from '@popsvc/contracts/responses';
import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { idAsked, idSchema } from '../asked/index.ts';
import { statusQueries } from '../queries/index.ts';
import { asOfHeader } from '../reports/index.ts';
import { networkHeader } from '../scope/index.ts';
import type { Watched } from '../status/index.ts';
import type { StatusParts } from './status-list.route.ts';

/** One device or feeder. Whether another network has the id is not told: it is as unknown as any. */
export const statusOfOneRoute = (
  { kind, plural, schema, operations }: Watched,
  { reader, scope, pinned, clock }: StatusParts,
): Route => ({
  method: 'get',
  path: `/api/v1/${plural}/status/:id`,
  summary: `Whether a ${kind} is online.`,
  operationId: operations.one,
  access: 'reporting',
  examples: [{ name: 'one', params: { id: kind === 'device' ? 31 : 41 } }],
  schemas: {
    params: z.object({ id: idSchema.describe(`The ${kind}.`) }),
    query: z.object({}),
    headers: networkHeader,
    responses: { 200: withEnvelope(schema) },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS', 'NOT_FOUND'],
  async handle(asked) {
    const id = idAsked(asked);
    const networks = await scope.networksOf(asked);
    return pinned(['status', 'registry'], async ({ status, registry }) => {
      const from = { status: status?.generation, registry: registry?.generation };
      const query = statusQueries[kind]({ networks, id, ...from }, clock.now());
      const [data] = await reader.rows(query, { signal: asked.signal });
      if (data === undefined) throw new ApiError('NOT_FOUND', `There is no such ${kind} in these networks.`);
      return jsonResponse(200, { status: true, message: `${kind} status retrieved`, data }, asOfHeader(status));
    });
  },
});
