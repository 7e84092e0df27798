export { opsRoutes } from './all.ts';
export type { OpsParts, ProjectionStanding } from './ops-parts.ts';
