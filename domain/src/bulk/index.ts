export {
  delimiterOf,
  countUnmappedRows,
  describeQuarantinedRows,
  foldJob,
  hasEnded,
  type Job,
  type JobStatus,
  maxReportedErrors,
  type RowError,
  toBulkJobResponse,
} from './job.ts';
export {
  foldUpload,
  jobFromClaim,
  type ReceivedFile,
  receivedFileRetentionMs,
  type Upload,
  uploadGraceMs,
  uploadObjectKey,
  uploadRemovalMs,
} from './upload.ts';
export { IllegalTransitionError, type LoggedEvent } from './logged-event.ts';
