import type { RouteRequest } from '@popsvc/platform/http';
import { Parameters } from './parameters.ts';
import { statusQuerySchema } from './status-schemas.ts';
import { idOf, idsOf } from './whole-number.ts';

/** What a list of devices or feeders is limited to; an empty one leaves nothing out. */
export interface StatusesAsked {
  readonly siteIds: readonly number[];
  readonly locationIds: readonly number[];
}

const known = Object.keys(statusQuerySchema.shape);

export const statusesAsked = ({ query }: Pick<RouteRequest, 'query'>): StatusesAsked => {
  const parameters = new Parameters(query, known);
  const asked = { siteIds: idsOf(parameters, 'site_id'), locationIds: idsOf(parameters, 'location_id') };
  parameters.settle();
  return asked;
};

/** The id of the one device or feeder that is asked about. */
export const idAsked = ({ params, query }: Pick<RouteRequest, 'params' | 'query'>): number => {
  const parameters = new Parameters(query, []);
  const id = idOf(parameters, 'id', params['id'] ?? '');
  parameters.settle();
  return id;
};
