export { BackupRecord, backupRecordFile } from './backup-record.ts';
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
export {
  READINESS_CHECKS,
  type ReadinessChecks,
  type ReadyResponse,
  reportReadyService,
  serviceCheck,
} from './service-check.ts';
export { EventLogScrub, eventLogScrubFile, type Store, storeProblems } from './store-problems.ts';
