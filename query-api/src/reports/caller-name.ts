import type { Principal } from '@popsvc/platform/auth';

/** Whom a limit holds for, and a line of the log tells of. */
export const callerName = (principal: Principal | undefined): string => {
  if (principal?.kind === 'api-key') return `key ${principal.keyId}`;
  return principal?.kind === 'client' ? `client ${principal.clientId}` : 'operator';
};
