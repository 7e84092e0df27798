import { ApiError, type ApiErrorDetail, describeZodIssue, maxErrorDetails } from '@popsvc/contracts/errors';
import { instantMs } from '@popsvc/contracts/time';
import { z } from 'zod';
import type { FormFields, RouteRequest } from './route.ts';

const maxInteger = Number.MAX_SAFE_INTEGER;

/** Only plain decimal digits: `+5`, `1e3` and `05` are invalid. */
const wholeNumber = (min: number, max: number, message: string) =>
  z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})$/, message)
    .transform(Number)
    .pipe(z.int(message).min(min, message).max(max, message));

export const integerParameter = (min: number, max = maxInteger) =>
  wholeNumber(
    min,
    max,
    `must be a whole number ${max === maxInteger ? `of at least ${min}` : `from ${min} to ${max}`}`,
  );

const invalidId = 'must be a positive whole number';
export const idParameter = wholeNumber(1, maxInteger, invalidId);

/** The parameter may be repeated; parses to its distinct ids in order. */
export const idsParameter = z.preprocess(
  (given) => (given === undefined ? undefined : [...new Set([given].flat())]),
  z.array(wholeNumber(1, maxInteger, `${invalidId}; repeat the parameter for several`)).optional(),
);

/** If `parse` returns undefined, `describe` builds the error message. */
export const parsedParameter = <Value>(
  parse: (text: string) => Value | undefined,
  describe: (text: string) => string,
  meta: z.core.GlobalMeta = {},
) =>
  z
    .string()
    .meta(meta)
    .transform((text, context): Value => {
      const value = parse(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: describe(text) });
      return z.NEVER;
    });

/** Parses to ms since 1970. */
export const instantParameter = parsedParameter(
  instantMs,
  () => 'must be an ISO 8601 timestamp with Z or an offset (write the plus sign of an offset as %2B)',
  { format: 'date-time' },
);

/** Absent means false. */
export const switchParameter = z
  .enum(['true', 'false'])
  .optional()
  .transform((value) => value === 'true');

export const noParameters = z.strictObject({});

const describeParameterIssue: z.core.$ZodErrorMap = (issue) =>
  Array.isArray(issue.input) ? 'may be given only once' : describeZodIssue(issue);

const longestName = 200;

const toParameterDetails = (issues: readonly z.core.$ZodIssue[]): readonly ApiErrorDetail[] => {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const invalid = new Map<string, string>();
  for (const { code, path, message } of issues) {
    const name = String(path[0]);
    if (code !== 'unrecognized_keys' && !invalid.has(name)) invalid.set(name, message);
  }
  return [
    ...unknown.map((name) => ({ path: name.slice(0, longestName), message: 'is not a parameter of this endpoint' })),
    ...[...invalid].map(([path, message]) => ({ path, message })),
  ].slice(0, maxErrorDetails);
};

/** Throws INVALID_PARAM, whose details name the unknown and invalid parameters. */
export const parseParameters = <Params extends z.ZodObject, Query extends z.ZodType>(
  schemas: { readonly params: Params; readonly query: Query },
  request: Pick<RouteRequest, 'params' | 'query'>,
): { params: z.output<Params>; query: z.output<Query> } => {
  const params = schemas.params.safeParse(request.params, { error: describeParameterIssue });
  const query = schemas.query.safeParse(request.query, { error: describeParameterIssue });
  if (params.success && query.success) return { params: params.data, query: query.data };
  const details = toParameterDetails([...(params.error?.issues ?? []), ...(query.error?.issues ?? [])]);
  const [first] = details;
  throw new ApiError('INVALID_PARAM', first && `${first.path} ${first.message}`, { details });
};

const noPathParameters = z.object({});

/** Throws INVALID_PARAM like `parseParameters`. */
export const parseQuery = <Query extends z.ZodType>(schema: Query, query: FormFields): z.output<Query> =>
  parseParameters({ params: noPathParameters, query: schema }, { params: {}, query }).query;
