import { type Detail, Refusal } from '@popsvc/contracts/errors';
import type { Fields } from '@popsvc/platform/http';

/** Whether the request only asks if it would be accepted. Anything else in the query is refused, so that no typo goes unseen. */
export const onlyValidates = (query: Fields): boolean => {
  const details: Detail[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'validate_only') details.push({ path: name.slice(0, 200), message: 'is not a known parameter' });
    else if (value !== 'true' && value !== 'false') details.push({ path: name, message: 'must be true or false' });
  }
  const [first] = details;
  if (first) throw new Refusal('INVALID_PARAM', `${first.path} ${first.message}`, { details: details.slice(0, 100) });
  return query['validate_only'] === 'true';
};
