export {
  delimiterOf,
  countUnmappedRows,
  describeQuarantinedRows,
  foldJob,
  hasEnded,
  type Job,
  jobEndTypes,
  type JobStatus,
  type MultiLineRows,
  type QuarantinedRowCounts,
  type RowError,
  toBulkJobResponse,
  toJobWarnings,
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
