export { opsRoutes } from './all.ts';
export { standingsOf } from './projections/standings.query.ts';
export type { OpsParts, ProjectionStanding } from './ops-parts.ts';
