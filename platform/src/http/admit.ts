import type { IncomingMessage } from 'node:http';
import type { Principal } from '../auth/principal.ts';
import type { Authenticate } from './door.ts';
import { isLoopback } from './is-loopback.ts';
import type { Route } from './route.ts';

/** Who asks, once a route lets him in; undefined where nobody needs to say. */
export const admit = (
  { access }: Route,
  request: IncomingMessage,
  authenticate: Authenticate,
): Promise<Principal> | undefined => {
  if (access === 'public') return undefined;
  if (access !== 'monitoring') return authenticate(request, access);
  return isLoopback(request) ? undefined : authenticate(request, 'operator');
};
