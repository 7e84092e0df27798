export {
  ApiError,
  type ApiErrorDetail,
  type ApiErrorOptions,
  type ErrorCode,
  errorMessages,
  invalidParam,
} from './api-error.ts';
export { describeZodIssue, findUnknownFields, maxErrorDetails, shortenValue, toErrorDetails } from './zod-issues.ts';
