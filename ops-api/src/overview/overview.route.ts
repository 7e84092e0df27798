import { jsonResponse, type Route } from '@popsvc/platform/http';
import { switches } from '../checked.ts';
import { noParameters } from '../parameters.ts';
import { OverviewTold } from './overview.schemas.ts';
import { type OverviewParts, tellOverview } from './tell-overview.ts';

export const overviewRoute = (parts: OverviewParts): Route => ({
  method: 'get',
  path: '/ops/v1/overview',
  summary: 'How the service is: what comes in, how far the read models are, what needs an operator.',
  description:
    'It answers also while stores are away: what they know is null then. Figures of the past are by the minute, kept for 48 hours.',
  operationId: 'getOverview',
  access: 'operator',
  examples: [{ name: 'ask' }],
  schemas: { query: noParameters, responses: { 200: OverviewTold } },
  async handle({ query }) {
    switches(query, []);
    return jsonResponse(200, await tellOverview(parts, Date.now()));
  },
});
