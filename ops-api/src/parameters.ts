import {
  ApiError,
  type ApiErrorDetail,
  describeZodIssue,
  maxErrorDetails,
  toErrorDetails,
} from '@popsvc/contracts/errors';
import { instantMs } from '@popsvc/contracts/time';
import type { FormFields } from '@popsvc/platform/http';
import { z } from 'zod';

export { parseBody, invalidRequestError as invalid } from '@popsvc/platform/http';

/** An integer query parameter within bounds. */
export const integerParameter = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.int().min(least).max(most));

export const networkParameter = integerParameter(1, Number.MAX_SAFE_INTEGER);
export const vendorParameter = z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be a vendor code');

/** A repeatable parameter: matches any of the ids. */
export const idsParameter = z.preprocess(
  (given) => (given === undefined ? undefined : [given].flat()),
  z.array(integerParameter(1, Number.MAX_SAFE_INTEGER)).max(1_000).optional(),
);

/** The page size of a list. */
export const listLimit = (standard: number) => integerParameter(1, 1_000).default(standard);

const lastPosition = 2n ** 63n - 1n;
/** Whether a number fits into a signed 64-bit log position. */
export const isPosition = (digits: string): boolean => BigInt(digits) <= lastPosition;

const invalidPosition = 'must be a position of the log';
/** A log position as returned by lists. */
export const positionParameter = z
  .string()
  .regex(/^\d{1,19}$/, { error: invalidPosition, abort: true })
  .refine(isPosition, invalidPosition);

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
export const switchParameter = z.enum(['true', 'false']);

/** For routes without query parameters: rejects any. */
export const noParameters = z.strictObject({});

/** Parses the query string; throws INVALID_PARAM that names every invalid or unknown parameter. */
export const parseQuery = <Schema extends z.ZodType>(schema: Schema, query: FormFields): z.output<Schema> => {
  const read = schema.safeParse({ ...query }, { error: describeZodIssue });
  if (read.success) return read.data;
  const details = toErrorDetails(read.error.issues).slice(0, maxErrorDetails);
  throw new ApiError('INVALID_PARAM', details.map(({ path, message }) => `${path} ${message}`)[0], { details });
};

/** Parses boolean query parameters; rejects all others, so that a typo cannot be ignored. */
export const parseSwitches = <const Name extends string>(
  query: FormFields,
  names: readonly Name[],
): Record<Name, boolean> => {
  const known: readonly string[] = names;
  const details = Object.entries(query).flatMap(([name, value]): ApiErrorDetail[] => {
    if (!known.includes(name)) return [{ path: name.slice(0, 200), message: 'is not a known parameter' }];
    return value === 'true' || value === 'false' ? [] : [{ path: name, message: 'must be true or false' }];
  });
  const [first] = details;
  if (first)
    throw new ApiError('INVALID_PARAM', `${first.path} ${first.message}`, {
      details: details.slice(0, maxErrorDetails),
    });
  return Object.fromEntries(names.map((name) => [name, query[name] === 'true'])) as Record<Name, boolean>;
};
