export { foldJob } from './fold-job.ts';
export { foldUpload } from './fold-upload.ts';
export { hasEnded, type Job, type JobStatus, mostErrorsTold, type RowError } from './job.ts';
export { jobAnswer } from './job-answer.ts';
export { IllegalMove, type Logged } from './logged.ts';
export {
  jobOfClaim,
  keptForMs,
  type ReceivedFile,
  type Upload,
  uploadDueMs,
  uploadEndsWithinMs,
  uploadKey,
} from './upload.ts';
