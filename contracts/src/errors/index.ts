export {
  ApiError,
  type ApiErrorDetail,
  type ApiErrorOptions,
  type ErrorCode,
  errorMessages,
  invalidParam,
} from './api-error.ts';
export { describeZodIssue, maxErrorDetails, toErrorDetails } from './zod-issues.ts';
