export { type ErrorCode, errorMessages } from './codes.ts';
export { toErrorDetails, maxErrorDetails } from './complaints.ts';
export { type ApiErrorDetail, ApiError, type ApiErrorOptions, invalidParam } from './api-error.ts';
export { describeZodIssue } from './wording.ts';
