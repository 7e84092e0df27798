import {
  ApiError,
  type ApiErrorDetail,
  describeZodIssue,
  type ErrorCode,
  maxErrorDetails,
  toErrorDetails,
} from '@popsvc/contracts/errors';
import { dropNulls } from '@popsvc/contracts/nulls';
import type { z } from 'zod';
import { jsonResponse, type JsonResponse } from './response.ts';

export const httpStatusOf: Readonly<Record<ErrorCode, number>> = {
  INVALID_PARAM: 400,
  INVALID_EVENT: 400,
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  FORBIDDEN_NETWORKS: 403,
  FORBIDDEN_ORIGIN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  HISTORY_GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  REBUILDING: 503,
  INTERNAL: 500,
};

/** The request body did not arrive in time. The response has the status 408, and the connection is closed. */
export class BodyTimeout extends ApiError {
  constructor(message: string, options: ErrorOptions = {}) {
    super('INVALID_REQUEST', message, { ...options, headers: { Connection: 'close' } });
  }
}

const defaultRetrySeconds = 1;

export const errorResponse = (error: ApiError, requestId: string): JsonResponse => {
  const { code, message, details, headers } = error;
  return jsonResponse(
    error instanceof BodyTimeout ? 408 : httpStatusOf[code],
    { status: false, message, error: { code, details }, request_id: requestId },
    { ...retryAfter(error), ...headers },
  );
};

const retryAfter = ({ code, retryAfterSeconds }: ApiError): Record<string, string> =>
  retryAfterSeconds !== undefined || httpStatusOf[code] === 503 || code === 'RATE_LIMITED'
    ? { 'Retry-After': String(retryAfterSeconds ?? defaultRetrySeconds) }
    : {};

/** Null in an optional field means absence. Throws INVALID_REQUEST, whose details name the invalid fields. */
export const parseBody = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
  const read = schema.safeParse(dropNulls(schema, body), { error: describeZodIssue });
  if (read.success) return read.data;
  throw invalidRequestError(toErrorDetails(read.error.issues));
};

export const invalidRequestError = (details: readonly ApiErrorDetail[]): ApiError => {
  const [first] = details;
  const message =
    details.length === 1 && first
      ? `${first.path || 'body'}: ${first.message}`
      : `${details.length} fields are not valid.`;
  return new ApiError('INVALID_REQUEST', message, { details: details.slice(0, maxErrorDetails) });
};
