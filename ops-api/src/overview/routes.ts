import { jsonResponse, type Route } from '@popsvc/platform/http';
import { noParameters, parseSwitches } from '../parameters.ts';
import { OverviewResponse } from './schema.ts';
import { type OverviewDependencies, readOverview } from './read-overview.ts';

export const overviewRoute = (parts: OverviewDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/overview',
  summary: 'How the service is: what comes in, how far the read models are, what needs an operator.',
  description:
    'It answers also while stores are away: what they know is null then. Figures of the past are by the minute, kept for 48 hours.',
  operationId: 'getOverview',
  access: 'operator',
  examples: [{ name: 'ask' }],
  schemas: { query: noParameters, responses: { 200: OverviewResponse } },
  async handle({ query }) {
    parseSwitches(query, []);
    return jsonResponse(200, await readOverview(parts, Date.now()));
  },
});
