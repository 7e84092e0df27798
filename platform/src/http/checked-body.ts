import {
  toErrorDetails,
  type ApiErrorDetail,
  maxErrorDetails,
  ApiError,
  describeZodIssue,
} from '@popsvc/contracts/errors';
import type { z } from 'zod';

/** A body as its schema has it, or the refusal that names every field that is wrong. */
export const parseBody = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
  const read = schema.safeParse(body, { error: describeZodIssue });
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
