export { consoleRoutes } from './console.routes.ts';
export { createOpsServer, type OpsServerParts } from './create-ops-server.ts';
export { opsDescription } from './description.ts';
export { opsRoutes } from './routes.ts';
export {
  type DoctorParts,
  examine,
  type Finding,
  type Neighbour,
  type RunningProjections,
} from '../diagnostics/index.ts';
export { tellCompleteness } from '../completeness/tell-completeness.ts';
export { liveHub } from '../live/live-hub.ts';
export { keepLag } from '../overview/keep-lag.ts';
export { type Follower, standingsOf } from '../projections/standings.query.ts';
export type { OpsParts, ProjectionStanding } from '../ops-parts.ts';
export { decideParked, type DecideParts, type Deciding } from '../parked/decide-parked.ts';
