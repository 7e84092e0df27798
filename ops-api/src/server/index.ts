export { consoleRoutes } from './console.routes.ts';
export { createOpsServer, type OpsServerDependencies } from './create-ops-server.ts';
export { opsDescription } from './description.ts';
export { opsRoutes } from './routes.ts';
export {
  type DiagnosticsDependencies,
  runDiagnostics,
  type Finding,
  type ServiceEndpoint,
  type RunningProjection,
} from '../diagnostics/index.ts';
export { readCompleteness } from '../completeness/tell-completeness.ts';
export { createLiveHub } from '../live/live-hub.ts';
export { startLagSampling } from '../overview/keep-lag.ts';
export { type Follower, createProjectionReader } from '../projections/standings.query.ts';
export type { OpsDependencies, ListedProjection } from '../ops-parts.ts';
export { recordParkedDecision, type ParkedDecisionDependencies, type ParkedDecision } from '../parked/decide-parked.ts';
