export { opsRoutes } from './all.ts';
export { type DoctorParts, examine, type Finding, type Neighbour } from './doctor/index.ts';
export { tellCompleteness } from './completeness/tell-completeness.ts';
export { liveHub } from './live/live-hub.ts';
export { keepLag } from './overview/keep-lag.ts';
export { standingsOf } from './projections/standings.query.ts';
export type { OpsParts, ProjectionStanding } from './ops-parts.ts';
export { decideParked, type DecideParts, type Deciding } from './parked/decide-parked.ts';
