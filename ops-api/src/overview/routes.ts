import { jsonResponse, type Route } from '@popsvc/platform/http';
import { noParameters } from '../requests/parameters.ts';
import { OverviewResponse } from './schema.ts';
import { type OverviewDependencies, readOverview } from './read-overview.ts';

export const overviewRoute = (dependencies: OverviewDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/overview',
  summary: 'The state of the service: intake, lag of the read models, and what needs an operator.',
  description:
    'Responds even when stores are down: their values are null. Statistics are per minute and kept for 48 hours.',
  operationId: 'getOverview',
  access: 'operator',
  examples: [{ name: 'ask' }],
  schemas: { query: noParameters, responses: { 200: OverviewResponse } },
  async handle() {
    return jsonResponse(200, await readOverview(dependencies, Date.now()));
  },
});
