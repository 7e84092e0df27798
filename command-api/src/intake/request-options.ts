import { type ApiErrorDetail, ApiError } from '@popsvc/contracts/errors';
import type { FormFields, RouteRequest } from '@popsvc/platform/http';
import { z } from 'zod';

/** The OpenAPI schemas of what every POST under `/popsvc/v1` accepts apart from its body. */
export const idempotencySchemas = {
  query: z.strictObject({
    validate_only: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: only check whether the request would be accepted, and respond with 200; nothing is stored.'),
  }),
  headers: z.object({
    'Idempotency-Key': z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same ' +
          'response; the same key with another body is rejected with 409.',
      ),
  }),
  responseHeaders: ['Idempotency-Replayed'],
} as const;

/** The response to a request with `validate_only=true`. */
export const ValidResponse = z.object({ message: z.string() }).meta({ id: 'Valid' });

const maxKeyLength = 255;

/** Reads the Idempotency-Key header; undefined when the request has none. Throws INVALID_REQUEST for a wrong length. */
export const readIdempotencyKey = (request: RouteRequest): string | undefined => {
  const key = request.header('Idempotency-Key');
  if (key === undefined) return undefined;
  // Node decodes header values as Latin-1: one character for each byte.
  if (key.length > 0 && key.length <= maxKeyLength) return key;
  const message = `must have 1 to ${maxKeyLength} characters`;
  throw new ApiError('INVALID_REQUEST', `Idempotency-Key ${message}`, {
    details: [{ path: 'Idempotency-Key', message }],
  });
};

const unknownParameter = (name: string): ApiErrorDetail => ({
  path: name.slice(0, 200),
  message: 'is not a known parameter',
});

const throwIfAny = (details: readonly ApiErrorDetail[]): void => {
  const [first] = details;
  if (first) throw new ApiError('INVALID_PARAM', `${first.path} ${first.message}`, { details: details.slice(0, 100) });
};

/** For endpoints without query parameters: throws INVALID_PARAM when the query has any. */
export const rejectQueryParameters = (query: FormFields): void => throwIfAny(Object.keys(query).map(unknownParameter));

/** Whether the request has `validate_only=true`. Throws INVALID_PARAM for any other parameter, so that a typo is noticed. */
export const readValidateOnly = (query: FormFields): boolean => {
  const details: ApiErrorDetail[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'validate_only') details.push(unknownParameter(name));
    else if (value !== 'true' && value !== 'false') details.push({ path: name, message: 'must be true or false' });
  }
  throwIfAny(details);
  return query['validate_only'] === 'true';
};
