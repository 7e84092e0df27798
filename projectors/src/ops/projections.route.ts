import { json, type Route } from '@popsvc/platform/http';
import { switches } from './checked.ts';
import type { OpsParts } from './ops-parts.ts';

export const projectionsRoute = ({ projections }: Pick<OpsParts, 'projections'>): Route => ({
  method: 'get',
  path: '/ops/v1/projections',
  summary: 'How far each projection is.',
  access: 'operator',
  async handle({ query }) {
    switches(query, []);
    return json(200, await projections());
  },
});
