export { type RouteParts, routes } from './all.ts';
