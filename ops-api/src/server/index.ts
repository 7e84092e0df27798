export { consoleRoutes } from './console-files.ts';
export { createOpsServer, type OpsServerDependencies } from './create-ops-server.ts';
export {
  type FleetState,
  type FleetThresholds,
  findFleetProblems,
  findSilentVendors,
} from '../fleet/find-fleet-problems.ts';
export { reportFleet } from '../fleet/fleet-findings.ts';
export {
  createFleetReading,
  createFleetWatch,
  type FleetWatch,
  type ReadFleet,
  registerFleetMetrics,
} from '../fleet/fleet-watch.ts';
export { createRegistryLog, type RegistryLog } from '../registry/registry-log.ts';
export { createWrongTokenLimiter } from '../session/routes.ts';
export { opsDescription } from './description.ts';
export { type OpsDependencies, opsRoutes } from './routes.ts';
export type { DiagnosticsDependencies, RunningProjection, ServiceEndpoint } from '../diagnostics/dependencies.ts';
export { createReadinessChecks } from '../diagnostics/readiness.ts';
export { readBackupRecord } from '../diagnostics/checks/backup.ts';
export { readFolderDisk } from '../diagnostics/checks/disk.ts';
export { readEventLogScrub } from '../diagnostics/checks/event-log.ts';
export { nats } from '../diagnostics/checks/nats.ts';
export { allChecks, runDiagnostics } from '../diagnostics/run-diagnostics.ts';
export { readCompleteness } from '../completeness/read-completeness.ts';
export { startLagSampling } from '../overview/lag.ts';
export { createProjectionReader, type Follower, type ListedProjection } from '../projections/read-projections.ts';
export { recordParkedDecision, type ParkedDecisionDependencies, type ParkedDecision } from '../parked/decisions.ts';
