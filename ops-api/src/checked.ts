import {
  toErrorDetails,
  type ApiErrorDetail,
  maxErrorDetails,
  ApiError,
  describeZodIssue,
} from '@popsvc/contracts/errors';
import type { FormFields } from '@popsvc/platform/http';
import type { z } from 'zod';

export { parseBody, invalidRequestError as invalid } from '@popsvc/platform/http';

/** The query as its schema has it, or the refusal that names every parameter that is wrong or not known. */
export const checkedQuery = <Schema extends z.ZodType>(schema: Schema, query: FormFields): z.output<Schema> => {
  const read = schema.safeParse({ ...query }, { error: describeZodIssue });
  if (read.success) return read.data;
  const details = toErrorDetails(read.error.issues).slice(0, maxErrorDetails);
  throw new ApiError('INVALID_PARAM', details.map(({ path, message }) => `${path} ${message}`)[0], { details });
};

/** Query parameters that are on or off, by name; any other parameter is refused, so that no typo goes unseen. */
export const switches = <const Name extends string>(
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
