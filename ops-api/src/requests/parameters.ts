import { ApiError, describeZodIssue, maxErrorDetails, toErrorDetails } from '@popsvc/contracts/errors';
import { instantMs } from '@popsvc/contracts/time';
import type { FormFields } from '@popsvc/platform/http';
import { z } from 'zod';

export { invalidRequestError, parseBody } from '@popsvc/platform/http';

/** An integer query parameter within bounds. */
export const integerParameter = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.int().min(least).max(most));

export const networkParameter = integerParameter(1, Number.MAX_SAFE_INTEGER);
export const vendorParameter = z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be a vendor code');

/** Parameters that restrict a list to a network, a vendor or both. */
export const vendorFilterParameters = { network: networkParameter.optional(), vendor: vendorParameter.optional() };

/** A repeatable parameter of ids. A list contains entries that match any of the ids. */
export const idsParameter = z.preprocess(
  (given) => (given === undefined ? undefined : [given].flat()),
  z.array(integerParameter(1, Number.MAX_SAFE_INTEGER)).max(1_000).optional(),
);

/** The page size of a list, with its default. */
export const listLimit = (standard: number) => integerParameter(1, 1_000).default(standard);

const lastPosition = 2n ** 63n - 1n;
/** Returns whether the number fits into a log position, which is a signed 64-bit integer. */
export const isPosition = (digits: string): boolean => BigInt(digits) <= lastPosition;

const invalidPosition = 'must be a position of the log';
/** A log position, as lists return it. */
export const positionParameter = z
  .string()
  .regex(/^\d{1,19}$/, { error: invalidPosition, abort: true })
  .refine(isPosition, invalidPosition);

/** The field of a response with the cursor of the next page, for lists in descending order of log positions. */
export const nextBefore = z
  .string()
  .nullable()
  .describe('What to send as `before` for the next page; null on the last.');

/** Returns `nextBefore` for a page of at most `limit` rows; null when the page is not full. */
export const nextBeforeOf = (rows: readonly { readonly position: string }[], limit: number): string | null =>
  rows.length < limit ? null : (rows.at(-1)?.position ?? null);

/** An ISO 8601 timestamp, parsed to ms since 1970. */
export const instantParameter = z
  .string()
  .meta({ format: 'date-time' })
  .transform((text, context) => {
    const ms = instantMs(text);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 timestamp with Z or an offset' });
    return z.NEVER;
  });

/** A boolean parameter; absent means false. */
export const switchParameter = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .optional()
  .transform((value) => value === 'true');

/**
 * The query schema of routes without query parameters. `opsRoutes` enforces it, so the handlers of these routes do not parse
 * the query.
 */
export const noParameters = z.strictObject({});

/** Parses the query string. Throws an INVALID_PARAM error that names every invalid or unknown parameter. */
export const parseQuery = <Schema extends z.ZodType>(schema: Schema, query: FormFields): z.output<Schema> => {
  const read = schema.safeParse({ ...query }, { error: describeZodIssue });
  if (read.success) return read.data;
  const details = toErrorDetails(read.error.issues).slice(0, maxErrorDetails);
  throw new ApiError('INVALID_PARAM', details.map(({ path, message }) => `${path} ${message}`)[0], { details });
};
