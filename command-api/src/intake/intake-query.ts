import { type ApiErrorDetail, ApiError } from '@popsvc/contracts/errors';
import type { FormFields } from '@popsvc/platform/http';

const unknown = (name: string): ApiErrorDetail => ({ path: name.slice(0, 200), message: 'is not a known parameter' });

const refuse = (details: readonly ApiErrorDetail[]): void => {
  const [first] = details;
  if (first) throw new ApiError('INVALID_PARAM', `${first.path} ${first.message}`, { details: details.slice(0, 100) });
};

/** For what takes no parameters. */
export const refuseParameters = (query: FormFields): void => refuse(Object.keys(query).map(unknown));

/** Whether the request only asks if it would be accepted. Anything else in the query is refused, so that no typo goes unseen. */
export const onlyValidates = (query: FormFields): boolean => {
  const details: ApiErrorDetail[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'validate_only') details.push(unknown(name));
    else if (value !== 'true' && value !== 'false') details.push({ path: name, message: 'must be true or false' });
  }
  refuse(details);
  return query['validate_only'] === 'true';
};
