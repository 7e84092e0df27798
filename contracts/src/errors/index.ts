export {
  ApiError,
  type ApiErrorDetail,
  type ApiErrorOptions,
  type ErrorCode,
  errorMessages,
  invalidParam,
} from './api-error.ts';
export { shortenValue } from './shorten-value.ts';
export { describeZodIssue, findUnknownFields, maxErrorDetails, toErrorDetails } from './zod-issues.ts';
