export { foldJob } from './fold-job.ts';
export { foldUpload } from './fold-upload.ts';
export { hasEnded, type Job, type JobStatus, maxReportedErrors, type RowError } from './job.ts';
export { toBulkJobResponse } from './job-answer.ts';
export { IllegalTransitionError, type LoggedEvent } from './logged.ts';
export {
  jobFromClaim,
  receivedFileRetentionMs,
  type ReceivedFile,
  type Upload,
  uploadRemovalMs,
  uploadGraceMs,
  uploadObjectKey,
} from './upload.ts';
