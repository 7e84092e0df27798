export { allRoutes, type RouteParts } from './all.ts';
