export { consoleRoutes } from './console-files.ts';
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
export { readCompleteness } from '../completeness/read-completeness.ts';
export { createLiveHub } from '../live/live-hub.ts';
export { startLagSampling } from '../overview/lag.ts';
export { type Follower, createProjectionReader } from '../projections/read-projections.ts';
export type { OpsDependencies, ListedProjection } from '../dependencies.ts';
export { recordParkedDecision, type ParkedDecisionDependencies, type ParkedDecision } from '../parked/decisions.ts';
