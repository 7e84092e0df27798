import { ApiError } from '@popsvc/contracts/errors';

/** A header of the request, by its name in lower case. */
type HeaderOf = (name: string) => string | undefined;

const isHost = (origin: string, host: string | undefined): boolean =>
  host !== undefined && URL.canParse(origin) && new URL(origin).host === host;

/**
 * Refuses unless a page of this very server asks: a browser adds the cookie whoever made the page that asks. It tells one or the
 * other of every request that could change something.
 */
export const requireSameOrigin = (header: HeaderOf): void => {
  if (header('sec-fetch-site') === 'same-origin' || isHost(header('origin') ?? '', header('host'))) return;
  throw new ApiError('FORBIDDEN_ORIGIN');
};
