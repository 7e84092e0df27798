export {
  ApiError,
  type ApiErrorDetail,
  type ApiErrorOptions,
  type ErrorCode,
  errorMessages,
  invalidParam,
} from './api-error.ts';
export { describeZodIssue, findUnknownFields, maxErrorDetails, toErrorDetails } from './zod-issues.ts';
