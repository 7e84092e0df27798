export {
  type Check,
  createCheck,
  failed,
  Finding,
  findingTitle,
  type Problem,
  SEVERITIES,
  warning,
} from './finding.ts';
export { READINESS_CHECKS, type ReadinessChecks } from './readiness.ts';
export { type ReadyResponse, reportReadyService, serviceCheck } from './service-check.ts';
export { type Store, storeProblems } from './store-problems.ts';
export { EventLogScrub, eventLogScrubFile } from './event-log-scrub.ts';
